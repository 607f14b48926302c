"""Trained networks as files that other programs load, without our packages."""
