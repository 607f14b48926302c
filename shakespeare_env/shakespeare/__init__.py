"""The board game Shakespeare (Ystari 2015), 1 to 4 seats."""
