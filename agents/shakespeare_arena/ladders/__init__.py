"""Ladders: ratings and standings computed from arena results, and the tables that show them."""
