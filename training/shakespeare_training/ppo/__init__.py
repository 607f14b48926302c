"""MaskablePPO whose advantages run along each seat's own decisions."""

from shakespeare_env.extras import needing

with needing("train", "training needs"):
    import sb3_contrib as sb3_contrib
    import torch as torch
