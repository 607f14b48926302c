"""What cards, moves and effects are in words."""
