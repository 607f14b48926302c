"""The box file: the bundled one holds what Rules A1 and A2 say, and every wrong one is refused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shakespeare_env.figaro.box import facts as box_module
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.box.loading import load_box
from tests import wrong_boxes
from tests.figaro.cards import HAND, deck

BUNDLED = Path(box_module.__file__).parents[1] / "box.toml"
# Faults that boxes of any game may have are in tests/shakespeare/record/test_box.py.
REFUSED = """
del cards.colours.2
    [cards]: colours.2: missing; add 2 (a whole number from 0 to 8)
cards.colours.4 = 1
    [cards]: colours.4: '4' is no value of a card; use one of 1, 2, 3
cards.jesters.3 = 1
    [cards]: jesters.3: '3' is no value of a card; use one of 1, 2
cards.rings = 9
    [cards]: rings: 9 is out of range; write a whole number from 0 to 8
three_seats.colours = { 1 = 3 }
    [three_seats]: colours: 'colours' is no key; ... use one of source, jesters, rings
three_seats.jesters.2 = 3
    [three_seats]: jesters.2: 3 of 2 left out; leave out 2 at most
three_seats.rings = 6
    [three_seats]: rings: 6 of 5 left out; leave out 5 at most
cards.rings = 6
    [cards]: 61 cards with 4 seats; give every seat the same number, from 2 to 30
cards.colours = { 1 = 8, 2 = 8, 3 = 8 }
    [cards]: 130 cards with 4 seats; give every seat the same number, from 2 to 30
three_seats.jesters.1 = 0
    [three_seats]: 46 cards with 3 seats; give every seat the same number, from 2 to 30
pile.full = 3
    [pile]: full: 3 is out of range; write a whole number from 4 to 12
rounds.number = 4
    [rounds]: number: 4 is out of range; write a whole number from 1 to 3
rounds.number = 2
    [road]: lengths: ... is not a list of 10 whole numbers from 1 to 100; write a list of 10 ...
road.lengths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 7, 15]
    [road]: lengths: 7 is listed twice; make all lengths different
"""


@pytest.mark.parametrize(("edits", "said"), wrong_boxes.cases(REFUSED))
def test_a_wrong_entry_is_refused_with_its_name_and_a_remedy(edits, said, tmp_path):
    path = wrong_boxes.write_box(tmp_path, BUNDLED, *edits)
    wrong_boxes.assert_refused(load_box, path, said)


@pytest.mark.parametrize("players", HAND)
def test_a1_a2_the_tables_deal_what_the_rules_say(players):
    dealt = dict(zip(t.KIND_IDS, t.COPIES[players].tolist(), strict=True))
    assert +deck(players) == {card: copies for card, copies in dealt.items() if copies}
    assert t.HAND[players] == HAND[players]
    assert sorted(load_box(BUNDLED).lengths) == list(range(1, 16))


def test_figaro_box_names_the_file(tmp_path, monkeypatch):
    lengths = "road.lengths = " + str([*range(2, 17)])
    path = wrong_boxes.write_box(tmp_path, BUNDLED, lengths)
    monkeypatch.setenv("FIGARO_BOX", str(path))
    assert (load_box().lengths, load_box().source) == (tuple(range(2, 17)), path)
    monkeypatch.delenv("FIGARO_BOX")
    assert load_box() == load_box(BUNDLED)


# Boxes that can be played with: fewer and more cards than the bundled one, other lengths.
OTHERS = {
    "other copies": ("cards.colours = { 1 = 6, 2 = 2, 3 = 2 }", "road.lengths = [100, 99, 98, "
                     "97, 96, 95, 94, 93, 92, 91, 90, 89, 88, 87, 86]"),
    "no rings": ("cards.rings = 0", "cards.jesters = { 1 = 8, 2 = 2 }", "three_seats.rings = 0",
                 "three_seats.jesters = { 1 = 5, 2 = 0 }"),
    "most cards": ("cards.colours = { 1 = 8, 2 = 8, 3 = 4 }", "cards.rings = 8",
                   "cards.jesters = { 1 = 6, 2 = 6 }", "three_seats.rings = 8",
                   "three_seats.jesters = { 1 = 6, 2 = 2 }"),
}  # fmt: skip

# The generator wraps around at 64 bits; nothing else may.
WARNINGS = [
    *("-W", "error::RuntimeWarning", "-W", "ignore::RuntimeWarning:shakespeare_env.core.rng"),
    *("-W", "ignore::RuntimeWarning:shakespeare_env.core.kernels"),
]
PLAY = """
import sys, tomllib
from collections import Counter
from shakespeare_env import Position
from tests.figaro.positions import in_play
box = tomllib.load(open(sys.argv[1], "rb"))
lengths = box["road"]["lengths"]
for players in (3, 4, 5, 6):
    copies = Counter(ring=box["cards"]["rings"])
    for colour in ("red", "orange", "green", "blue", "purple")[: 4 if players == 3 else 5]:
        copies.update({f"{colour}-{v}": n for v, n in box["cards"]["colours"].items()})
    copies.update({f"jester-{v}": n for v, n in box["cards"]["jesters"].items()})
    if players == 3:
        left_out = box["three_seats"]
        copies.subtract({f"jester-{v}": n for v, n in left_out["jesters"].items()})
        copies.subtract(ring=left_out["rings"])
    position = Position.new("figaro", players=players, seed=players)
    step = 0
    while position.to_move is not None:
        d = position.to_dict()
        assert +in_play(d) == +copies, (d, copies)
        assert Position.from_dict(d) == position
        assert min(position.observation(seat).min() for seat in range(players)) >= 0
        assert {piece for row in d["pieces"] + d["roads"] for piece in row} <= set(lengths)
        moves = position.moves()
        position.push(moves[(step * 7 + 3) % len(moves)])
        step += 1
    roads = list(map(sum, position.to_dict()["roads"]))
    assert position.scores() == [-road for road in roads]
    assert min(roads) == roads[position.winners[0]]
print("played to the end")
"""


@pytest.mark.slow
@pytest.mark.parametrize("edits", OTHERS.values(), ids=OTHERS)
def test_another_box_is_played_with_to_the_end(edits, tmp_path):
    """In a process of its own, for a box is read once; without the compiler, which would take long.

    Every card of that box is dealt, roads longer than eight bits hold are added up.
    """
    path = wrong_boxes.write_box(tmp_path, BUNDLED, *edits)
    load_box(path)
    done = subprocess.run(
        [sys.executable, *WARNINGS, "-c", PLAY, str(path)],
        env=os.environ | {"FIGARO_BOX": str(path), "NUMBA_DISABLE_JIT": "1"},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "played to the end\n"), done.stderr
