"""An agent for `shakespeare arena`: a program that reads questions and writes answers.

It needs only Python. In Figaro it plays the card that raises the pile in front of another seat to
the highest total. In Shakespeare it plays at random, and passes only if it must.
"""

import json
import random
import sys


def value(card):
    """Return a Figaro card's value: 2 for `red-2`, 0 for `ring`."""
    return int(card.partition("-")[2] or 0)


def score(move, position):
    """Return how good a move looks: a pile's new total, 0 for other moves, -1 for poor ones."""
    if move == "pass":
        return -1
    if not move.startswith("play:"):
        return 0
    card, _, target = move.removeprefix("play:").partition(">")
    if int(target) == position["to_move"]:
        return -1
    return value(card) + sum(value(other) for other in position["front"][int(target)])


for line in sys.stdin:
    question = json.loads(line)
    if question["command"] == "move":
        moves = random.sample(question["moves"], len(question["moves"]))
        best = max(moves, key=lambda move: score(move, question["position"]))
        print(json.dumps({"id": question["id"], "move": best}), flush=True)
