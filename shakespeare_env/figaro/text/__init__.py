"""Figaro in words: positions, events and explanations."""
