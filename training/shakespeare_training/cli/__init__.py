"""Commands that train: `train`, `exploit` and `adopt`."""
