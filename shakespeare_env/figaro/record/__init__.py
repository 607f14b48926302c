"""A game as a record: its faults, and what a seat may know of it."""
