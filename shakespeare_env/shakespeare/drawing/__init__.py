"""Positions drawn for people from notation, as text and pictures."""
