"""Strategy research: what good play is worth, from games of agents.

`self_play` observes what goes together with winning; `trials` replay positions with one thing
changed, to find what causes it; `forecasts` and `calibration` measure how far a network's forecasts
can be trusted. All give Polars frames (the extra `data`).
"""
