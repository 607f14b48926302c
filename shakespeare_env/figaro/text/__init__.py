"""A game in words."""
