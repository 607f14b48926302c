"""A training run: its folder, what happens during it, and how it is shown."""
