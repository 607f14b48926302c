"""The contract of every game, and games stepped alone or many together."""
