"""Agents playing each other: evaluation, and recording games as datasets."""
