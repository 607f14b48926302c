"""Strategy research: what good play is worth, from games of agents.

Two kinds of evidence: `self_play` observes who wins how; `trials` go back to positions of such
games, change one thing and play on.  The first shows what goes together with winning, the second
what causes it.

All functions give Polars frames (the extra `data`), and pictures are drawn with Matplotlib.
"""
