"""Benchmarks of speed on this machine, and checks that measurements can be trusted."""
