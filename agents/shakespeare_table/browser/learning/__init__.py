"""How games are taught: lessons, guided games and levels, as data and as objects."""
