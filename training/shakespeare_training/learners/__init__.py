"""Algorithms that learn, the games that they play, and the opponents that they meet."""
