"""Benchmarks: how fast things are on this machine, and whether measurements can be trusted."""
