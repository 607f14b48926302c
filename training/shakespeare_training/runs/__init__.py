"""A training run: its folder, its course and its display."""
