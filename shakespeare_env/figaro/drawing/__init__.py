"""Notation drawn as text and pictures."""
