"""The commands that agents play in."""
