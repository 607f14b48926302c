"""Knowledge of a game that the contract tests need, found by the game's name.

No test outside `tests/<game>/` knows the rules of a game. What the contract tests must know lies
in modules in the folder of the game's own tests, which `of` finds.

`facts.py`:
    RULES: set[str], the number of every rule, such as "B2".
    SECRET_MOVES: bool, whether there are moves that the other seats are not told.
    OWN_FIELDS: set[str], fields of a seat's block in an observation (`seat0.NAME`) that hold what
        only this seat may know.
    counters(position): for every seat a dict of the numbers that `Event.counters` can change, and
        of the score as `points`.
    EXPLAINED_WITH_MOVE: re.Pattern[str], matches moves whose parts have no topics of their own.
    PART_OF_TOPIC: re.Pattern[str], matches what a part of a move has besides its topic's name.

`hidden.py` changes what a seat may not know:
    change_in_dict(position, seat, rng) and change_in_record(record, seat, rng): a position that the
        seat cannot tell from the given one. The second also changes `random`.
    own_changes(record, seat): positions that the seat can tell from the given one (`OwnChange`).

`box_changes.py` describes two other boxes, and imports nothing of the engine:
    OLD: a text that occurs once in the game's box, which is invalid without it.
    NEW: two tuples of a text to replace it and what `fact` then returns.
    fact(position): a fact of the box, from the first position of a game with the most seats.

`strength.py`:
    HEURISTIC_OVER_RANDOM, GREEDY_OVER_RANDOM: `OverRandom`.
    NETWORK_WINS: dict, for each agent the share of games that the bundled network wins against it
        at four or fewer seats.
    FIRST_NETWORK: SHA-256 of the weights of `network,version=1`.

Besides these modules a game needs its golden games (`make golden`).
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class OwnChange:
    """A position that differs from another one in one secret.

    Attributes:
        what: The secret's name.
        record: The position.
        seats: The seats that know the secret.
        in_text: Whether positions as dicts hold the secret.
    """

    what: str
    record: Any
    seats: Set[int]
    in_text: bool = True


@dataclass(frozen=True)
class OverRandom:
    """The least that an agent must reach against random players.

    Attributes:
        wins: The share of its games that it wins, by number of seats.
        lead: Its mean score less theirs.
    """

    wins: dict[int, float]
    lead: float


def of(game: str, module: str) -> Any:
    """Return a module of knowledge of a game; LookupError if it is not written."""
    name = f"tests.{game}.{module}"
    try:
        return import_module(name)
    except ModuleNotFoundError as fault:
        if fault.name is None or not f"{name}.".startswith(f"{fault.name}."):
            raise  # The module exists, but something that it imports does not.
        raise LookupError(f"write {name.replace('.', '/')}.py: see {__file__}") from None
