"""The phases of the game, one file each: what is legal in it, and what a move does.

`flow.py` orders them.
"""
