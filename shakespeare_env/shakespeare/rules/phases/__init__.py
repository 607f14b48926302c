"""The phases, a file each: what is legal and what moves do; `rules/flow.py` orders them."""
