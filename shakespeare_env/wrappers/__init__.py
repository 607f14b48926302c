"""Environments for other libraries. They wrap the engine and hold no rule of any game."""
