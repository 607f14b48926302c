"""Agents against each other on the same deals, and what the figures say."""
