"""The box file: the bundled one holds what Rules A1 and A2 say, and every wrong one is refused."""

import copy
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from shakespeare_env.errors import BoxError
from shakespeare_env.figaro import box as box_module
from shakespeare_env.figaro import tables as t
from shakespeare_env.figaro.box_loading import load_box
from tests.figaro.cards import HAND, deck

BUNDLED = Path(box_module.__file__).with_name("box.toml")
BUNDLED_DATA = tomllib.loads(BUNDLED.read_text(encoding="utf-8"))
ROOT = Path(__file__).parents[2]

# What is edited in a copy of the bundled box, then what the message says of it: entry, fault and
# remedy, with " ..." in the place of words left out.
# "a.b = value" sets, "del a.b" removes; " & " parts several edits.
REFUSED = """
# tables and keys
del cards
    [cards]: missing; add the table [cards]; the package's box.toml has one
del three_seats
    [three_seats]: missing; add the table [three_seats]; the package's box.toml has one
del road
    [road]: missing; add the table [road]; the package's box.toml has one
card = 3
    card: 'card' is no table; did you mean 'cards'? use one of cards, three_seats, road, ...
cards = 60
    [cards]: 60 is not a table; write it under [cards]
cards.ring = 5
    [cards]: ring: 'ring' is no key; did you mean 'rings'? use one of source, colours, ...
cards.lengths = [1]
    [cards]: lengths: 'lengths' is no key; ... use one of source, colours, jesters, rings
three_seats.colours = { 1 = 3 }
    [three_seats]: colours: 'colours' is no key; ... use one of source, jesters, rings
road.pieces = 15
    [road]: pieces: 'pieces' is no key; use one of source, lengths
cards.source = 3
    [cards]: source: 3 is not a text; write a text between quotes
three_seats.source = ""
    [three_seats]: source: '' is not a text; write a text between quotes
road.source = ["seen"]
    [road]: source: ['seen'] is not a text; write a text between quotes

# rounds and piles
del rounds.number
    [rounds]: number: missing; add number (a whole number from 1 to 3)
rounds.number = 4
    [rounds]: number: 4 is out of range; write a whole number from 1 to 3
rounds.number = 2
    [road]: lengths: ... is not a list of 10 whole numbers from 1 to 100; write a list of 10 ...
pile.full = 3
    [pile]: full: 3 is out of range; write a whole number from 4 to 12
pile.fill = 6
    [pile]: fill: 'fill' is no key; did you mean 'full'? use one of source, full

# cards
del cards.colours
    [cards]: colours: missing; add colours (a table)
cards.colours = 10
    [cards]: colours: 10 is not a table; write colours = { ... }
del cards.colours.2
    [cards]: colours.2: missing; add 2 (a whole number from 0 to 8)
cards.colours.4 = 1
    [cards]: colours.4: '4' is no value of a card; use one of 1, 2, 3
cards.colours.red = 1
    [cards]: colours.red: 'red' is no value of a card; use one of 1, 2, 3
cards.colours.1 = -1
    [cards]: colours.1: -1 is out of range; write a whole number from 0 to 8
cards.colours.2 = 9
    [cards]: colours.2: 9 is out of range; write a whole number from 0 to 8
cards.colours.2 = 6.0
    [cards]: colours.2: 6.0 is not a whole number; write a whole number from 0 to 8
cards.colours.2 = true
    [cards]: colours.2: true is not a whole number; write a whole number from 0 to 8
cards.colours.2 = "six"
    [cards]: colours.2: 'six' is not a whole number; write a whole number from 0 to 8
del cards.jesters
    [cards]: jesters: missing; add jesters (a table)
cards.jesters.3 = 1
    [cards]: jesters.3: '3' is no value of a card; use one of 1, 2
cards.jesters.1 = 9
    [cards]: jesters.1: 9 is out of range; write a whole number from 0 to 8
del cards.jesters.1
    [cards]: jesters.1: missing; add 1 (a whole number from 0 to 8)
del cards.rings
    [cards]: rings: missing; add rings (a whole number from 0 to 8)
cards.rings = 9
    [cards]: rings: 9 is out of range; write a whole number from 0 to 8
cards.rings = -1
    [cards]: rings: -1 is out of range; write a whole number from 0 to 8
cards.rings = [5]
    [cards]: rings: [5] is not a whole number; write a whole number from 0 to 8

# three seats
del three_seats.jesters
    [three_seats]: jesters: missing; add jesters (a table)
del three_seats.rings
    [three_seats]: rings: missing; add rings (a whole number from 0 to 8)
three_seats.jesters.2 = 3
    [three_seats]: jesters.2: 3 of 2 left out; leave out 2 at most
three_seats.jesters.1 = 4
    [three_seats]: jesters.1: 4 of 3 left out; leave out 3 at most
three_seats.rings = 6
    [three_seats]: rings: 6 of 5 left out; leave out 5 at most
cards.rings = 2
    [three_seats]: rings: 3 of 2 left out; leave out 2 at most
three_seats.rings = 9
    [three_seats]: rings: 9 is out of range; write a whole number from 0 to 8

# deals
cards.rings = 6
    [cards]: 61 cards with 4 seats; give every seat the same number, from 2 to 30
cards.colours.1 = 4
    [cards]: 65 cards with 4 seats; give every seat the same number, from 2 to 30
cards.colours = { 1 = 8, 2 = 8, 3 = 4 } & cards.rings = 8 & cards.jesters = { 1 = 6, 2 = 6 }
    [three_seats]: 95 cards with 3 seats; give every seat the same number, from 2 to 30
cards.colours = { 1 = 8, 2 = 8, 3 = 8 }
    [cards]: 130 cards with 4 seats; give every seat the same number, from 2 to 30
three_seats.rings = 2
    [three_seats]: 46 cards with 3 seats; give every seat the same number, from 2 to 30
three_seats.jesters.1 = 0
    [three_seats]: 46 cards with 3 seats; give every seat the same number, from 2 to 30
cards.colours = { 1 = 0, 2 = 0, 3 = 0 }
    [cards]: 10 cards with 4 seats; give every seat the same number, from 2 to 30

# road
del road.lengths
    [road]: lengths: missing; add lengths (a list of 15 whole numbers from 1 to 100)
road.lengths = 15
    [road]: lengths: 15 is not a list of 15 whole numbers from 1 to 100; write a list of 15 ...
road.lengths = [1, 2, 3]
    [road]: lengths: [1, 2, 3] is not a list of 15 whole numbers from 1 to 100; write a ...
road.lengths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
    [road]: lengths: [1, 2, 3, 4, ... is not a list of 15 whole numbers from 1 to 100; write a ...
road.lengths = [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
    [road]: lengths: 0 is out of range; write a whole number from 1 to 100
road.lengths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 101]
    [road]: lengths: 101 is out of range; write a whole number from 1 to 100
road.lengths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 14.5]
    [road]: lengths: 14.5 is not a whole number; write a whole number from 1 to 100
road.lengths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 7, 15]
    [road]: lengths: 7 is listed twice; make all lengths different
"""
SHORTENED = re.escape(" ...")
LINES = [line for line in REFUSED.splitlines() if line and not line.startswith("#")]


def in_toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {in_toml(v)}" for k, v in value.items()) + "}"
    return json.dumps(value)


def write_box(folder, *edits):
    data = copy.deepcopy(BUNDLED_DATA)
    for edit in edits:
        where, _, text = edit.removeprefix("del ").partition(" = ")
        *path, last = where.split(".")
        entry = data
        for key in path:
            entry = entry[key]
        if edit.startswith("del "):
            del entry[last]
        else:
            entry[last] = tomllib.loads(f"value = {text}")["value"]
    path = folder / "mine.toml"
    path.write_text("".join(f"{key} = {in_toml(value)}\n" for key, value in data.items()))
    return path


@pytest.mark.parametrize(
    ("edit", "expected"), list(zip(LINES[::2], LINES[1::2], strict=True)), ids=LINES[::2]
)
def test_a_wrong_entry_is_refused_with_its_name_and_a_remedy(edit, expected, tmp_path):
    path = write_box(tmp_path, *edit.split(" & "))
    with pytest.raises(BoxError) as caught:
        load_box(path)
    pattern = re.escape(f"{path}: {expected.strip()}").replace(SHORTENED, ".*")
    assert re.fullmatch(pattern, str(caught.value)), caught.value


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(BoxError, match=r"lost\.toml: cannot be read .*unset FIGARO_BOX"):
        load_box(tmp_path / "lost.toml")


@pytest.mark.parametrize("content", [b"[cards\n", b"\xff\xfe", b"[road]\n[road]\n"])
def test_a_file_that_is_not_toml_is_refused(content, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_bytes(content)
    with pytest.raises(BoxError, match=r"mine\.toml: not a TOML file .*start again from"):
        load_box(path)


def test_a1_a2_the_bundled_box_holds_what_the_rules_say():
    box = load_box(BUNDLED)
    assert (box.colours, box.jesters, box.rings) == ((3, 6, 1), (3, 2), 5)
    assert (box.absent_jesters, box.absent_rings) == ((1, 1), 3)
    assert sorted(box.lengths) == list(range(1, 16))
    assert box.source == BUNDLED


@pytest.mark.parametrize("players", HAND)
def test_a1_the_tables_deal_what_the_rules_say(players):
    dealt = dict(zip(t.KIND_IDS, t.COPIES[players].tolist(), strict=True))
    assert +deck(players) == {card: copies for card, copies in dealt.items() if copies}
    assert t.HAND[players] == HAND[players]
    assert sum(dealt.values()) == players * HAND[players]


def test_every_table_of_the_bundled_box_says_where_it_comes_from():
    assert all(table["source"] for name, table in BUNDLED_DATA.items() if name != "sources")


def test_figaro_box_names_the_file(tmp_path, monkeypatch):
    path = write_box(tmp_path, "road.lengths = " + str([*range(2, 17)]))
    monkeypatch.setenv("FIGARO_BOX", str(path))
    assert load_box().lengths == tuple(range(2, 17))
    assert load_box().source == path
    assert load_box(BUNDLED).lengths == tuple(range(1, 16))


def test_an_empty_or_absent_figaro_box_means_the_packages_own(monkeypatch):
    monkeypatch.setenv("FIGARO_BOX", "")
    assert load_box().source == BUNDLED
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
    *("-W", "error::RuntimeWarning", "-W", "ignore::RuntimeWarning:shakespeare_env.rng"),
    *("-W", "ignore::RuntimeWarning:shakespeare_env.kernels"),
]
PLAY = """
from collections import Counter
import sys, tomllib
from shakespeare_env import Position
box = tomllib.load(open(sys.argv[1], "rb"))
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
        found = Counter()
        for heap in (*d["hands"], *map(Counter, d["front"] + d["taken"])):
            found.update(heap)
        assert +found == +copies, (d, copies)
        assert Position.from_dict(d) == position
        for seat in range(players):
            assert position.observation(seat).min() >= 0
        pieces = [piece for row in d["pieces"] + d["roads"] for piece in row]
        assert len(set(pieces)) == len(pieces) and set(pieces) <= set(box["road"]["lengths"])
        assert position.scores() == [-sum(road) for road in d["roads"]]
        moves = position.moves()
        position.push(moves[(step * 7 + 3) % len(moves)])
        step += 1
    roads = list(map(sum, position.to_dict()["roads"]))
    assert position.scores() == [-road for road in roads]
    assert min(roads) == roads[position.winners[0]]
    assert Position.from_dict(position.to_dict()) == position
print("played to the end")
"""


@pytest.mark.slow
@pytest.mark.parametrize("edits", OTHERS.values(), ids=OTHERS)
def test_another_box_is_played_with_to_the_end(edits, tmp_path):
    """In a process of its own, for a box is read once; without the compiler, which would take long.

    Every card of that box is dealt, roads longer than eight bits hold are added up.
    """
    path = write_box(tmp_path, *edits)
    load_box(path)
    done = subprocess.run(
        [sys.executable, *WARNINGS, "-c", PLAY, str(path)],
        env=os.environ | {"FIGARO_BOX": str(path), "NUMBA_DISABLE_JIT": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "played to the end\n"), done.stderr
