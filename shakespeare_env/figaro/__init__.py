"""Figaro, Reiner Knizia's card game, as the contract of `game.py` wants it."""
