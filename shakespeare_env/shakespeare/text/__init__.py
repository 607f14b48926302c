"""Positions as text: notation, and drawings in a terminal."""
