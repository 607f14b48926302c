"""The phases of a day, one module each: legal moves and their effects."""
