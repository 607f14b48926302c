"""An agent's view of positions and complete games, for people who play or review.

A view of a decision uses only what its seat may know.
"""
