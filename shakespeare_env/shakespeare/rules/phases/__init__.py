"""The phases, a file each: what is legal and what moves do; `flow.py` orders them."""
