"""The commands that agents play in: `watch`, `play`, `evaluate`, `dataset`, `replay`."""
