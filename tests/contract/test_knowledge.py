"""Every game's tests offer what the contract tests must be told (see `knowledge.py`)."""

import re

import pytest

from tests.contract import knowledge
from tests.contract.batches import games

OFFERED = dict(
    re.findall(r"^`(\w+)\.py`((?:.*\n)+?)(?=^`|\n)", knowledge.__doc__ or "", re.MULTILINE)
)
"""Module -> what the docstring says that it offers."""


@games
@pytest.mark.parametrize("module", ["facts", "hidden", "box_changes", "pinned", "strength"])
def test_a_game_offers_all_that_is_asked_for(name, module):
    offered = knowledge.of(name, module)
    asked = re.findall(r"^    ((?:\w+, )*\w+)(?=[:(])", OFFERED[module], re.MULTILINE)
    assert asked
    for attribute in ", ".join(asked).split(", "):
        assert hasattr(offered, attribute), f"{offered.__file__} offers no {attribute}"


def test_a_module_that_is_missing_is_named_with_what_it_must_offer():
    with pytest.raises(LookupError, match=r"no tests/chess/hidden\.py; write it: .*knowledge\.py"):
        knowledge.of("chess", "hidden")
