"""Research into good play, which tries moves and tests findings in many boxes.

- `counterfactual` plays positions on to the end.
- `self_play`, `trials` and `groups` measure what moves are worth.
- `calibration` measures how good forecasts are.
- `questions`, and a module named after a game, define questions. `asking` asks them in many boxes.
- `facts`, `verdicts` and `report` evaluate the answers, and `plots` draws them.
"""
