"""Trained networks: their files, their forward passes and the agent that plays from them."""
