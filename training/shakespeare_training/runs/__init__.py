"""A training run: its folder, its loop, its evaluations and its curves."""
