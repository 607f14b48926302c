"""The least strength of the agents at Figaro (see `tests/contract/knowledge.py`).

Much in Figaro is luck: nobody wins nearly always, at a table of four least of all.
"""

from tests.contract.knowledge import OverRandom

HEURISTIC_OVER_RANDOM = OverRandom(wins={3: 0.9, 6: 0.6}, lead=12)
GREEDY_OVER_RANDOM = OverRandom(wins={3: 0.85, 6: 0.55}, lead=10)
NETWORK_WINS = {"random": 0.8, "heuristic": 0.3}
FIRST_NETWORK = "b4de8e4725a2ae72a7d2ffe690a402784f0812c760a4288f00016ef9b323e14d"
