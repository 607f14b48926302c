"""Wrong box files are refused with the name of the entry."""

import pytest

from shakespeare_env.checks.box_files import read_box
from shakespeare_env.core import registry
from shakespeare_env.errors import BoxError
from shakespeare_env.figaro.box.tables import Box
from tests.wrong_boxes import write_box

pytestmark = pytest.mark.slow
REFUSED = {
    "del cards.colours.2": "cards.colours",
    "cards.jesters.3 = 1": "cards.jesters.3",
    "three_seats.jesters.2 = 3": "three_seats",
    "cards.rings = 6": "cards: 46",
    "cards.colours = { 1 = 8, 2 = 8, 3 = 8 }": "cards: 101",
    "pile.full = 3": "pile.full: 3",
    "rounds.number = 4": "rounds.number: 4",
    "rounds.number = 2": "road.lengths",
    "road.lengths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 7, 15]": "road.lengths",
}
"""What the message names, by edit of the box."""


@pytest.mark.parametrize("edit", REFUSED)
def test_a_wrong_entry_is_refused_by_its_name(edit, tmp_path):
    path = write_box(tmp_path, "figaro", edit)
    with pytest.raises(BoxError) as caught:
        read_box(Box, registry.folder("figaro"), path)
    assert REFUSED[edit] in str(caught.value)
