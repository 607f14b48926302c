"""The commands in which agents play: `watch`, `play`, `evaluate`, `dataset`, `replay`."""
