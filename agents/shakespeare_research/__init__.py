"""Findings: questions about good play asked in many boxes, and what survives all of them.

`questions` says what a question is, and a module named after a game asks them; `asking` has workers
answer them in every box and keeps the answers; `combining` and `verdicts` say what they amount to
over boxes and players; `facts` says which printed facts move them; `plots` and `report` show it.
"""
