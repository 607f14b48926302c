"""Figaro, Reiner Knizia's card game, 3 to 6 seats."""
