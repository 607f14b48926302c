"""Trained networks: their checkpoints, their forward pass, their export, and their agent."""
