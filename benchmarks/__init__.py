"""How fast things are on this machine, and whether measurements hold what is known."""
