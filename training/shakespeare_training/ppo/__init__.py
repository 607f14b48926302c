"""The learner: MaskablePPO along each seat's own decisions."""
