"""The contract of every game, single positions, and batches of games."""
