"""Boxes that a copy of the game could hold: what is plausible, and draws of it."""
