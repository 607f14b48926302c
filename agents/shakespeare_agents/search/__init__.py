"""Agents that look ahead by playing possible games."""
