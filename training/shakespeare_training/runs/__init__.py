"""A training run: its folder, its course, and what it shows."""
