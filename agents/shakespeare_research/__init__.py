"""What to play: what follows from moves, by trying them, and what of it holds in any box.

`counterfactual` plays games on; `trials` and `groups` say what moves are worth, `calibration` what
forecasts are. `questions`, and a module named after a game, say what is asked, `asking` asks it in
many boxes; `facts`, `verdicts` and `report` say what the answers amount to, `plots` shows it.
"""
