"""Ladders: ratings, standings and the tables that show them, computed from arena results."""
