"""MaskablePPO whose advantages run along each seat's own decisions."""
