"""A game as a record: its fields and faults, and what a seat may know of it."""
