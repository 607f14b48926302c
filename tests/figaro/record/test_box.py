"""The box file: the bundled one holds what Rules A1 and A2 say, and every wrong one is refused.

The fuzzer plays with other boxes to the end.
"""

from pathlib import Path

import pytest
from shakespeare_env.figaro.box.loading import load_box

from shakespeare_env.figaro.box import facts as box_module
from shakespeare_env.figaro.box import tables as t
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
