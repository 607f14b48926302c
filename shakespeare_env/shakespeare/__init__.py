"""The board game Shakespeare (Ystari 2015) for 1 to 4 seats."""
