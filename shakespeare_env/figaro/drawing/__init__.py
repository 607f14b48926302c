"""Notation drawn as pictures."""
