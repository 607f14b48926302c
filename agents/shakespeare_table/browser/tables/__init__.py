"""The tables of a server at which people and agents play."""
