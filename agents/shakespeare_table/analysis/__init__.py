"""An agent's view of positions and whole games, for people who play or review.

A view of a decision uses only what its seat may know.
"""
