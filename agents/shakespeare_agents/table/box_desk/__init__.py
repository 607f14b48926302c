"""The printed values of a game's box for owners who enter those of their copy."""
