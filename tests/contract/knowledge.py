"""What the contract tests must know about a game, found by the game's name.

No test outside `tests/<game>/` names a game.  What cannot be had from the contract
(`core/game.py`) is said by modules in the folder of the game's own tests; `of` finds them.  A new
game offers:

`facts.py`       what anybody who knows the rules could say
    RULES: set[str]             the number of every rule, such as "B2"; `RULES.md` has lines for all
    SECRET_MOVES: bool          whether there are moves that the other seats are not told
    OWN_FIELDS: set[str]        fields of a seat's block in an observation (`seat0.NAME`) that hold
                                what that seat alone may know
    counters(position) -> list[dict[str, int]]      of every seat all that `Event.counters` can
                                change, by the same names, and the score as `points`
`hidden.py`      what a seat may not know, changed at random; the engine's fields may be used
    change_in_dict(position, seat, rng) -> dict     another position in notation that the seat
                                cannot tell from this one
    change_in_record(record, seat, rng) -> record   the same with a record; `random` changes, too
    own_changes(record, seat) -> Iterator[OwnChange]    positions that the seat can tell from it,
                                each with one of its own secrets changed; none if it has none
`box_changes.py` another box; imports nothing of the engine, since it is asked before that is loaded
    OLD: str                    a text that stands once in the game's box, which is no box without
    NEW: tuple[tuple[str, int], tuple[str, int]]    two texts in its place, and what `fact` then
                                says; with the game's own box it says something else
    fact(position) -> int       of the first position of a game with the most seats, from any seed
`pinned.py`      games that must be the same on every machine; a test that fails shows what is found
    RANDOM_ACTIONS: list[list[int]]     the first two random actions of five games of the most
                                seats, from the seed 2024
    CHANCE: int                 chance still to come after the game of the most seats from that seed
    COURSE: str                 a digest of all its positions in text
    FIRST_NETWORK: str          SHA-256 of the weights file of `network,version=1`
`strength.py`    how good the agents are at least, so that a change for the worse is noticed
    HEURISTIC_OVER_RANDOM, GREEDY_OVER_RANDOM: OverRandom
    NETWORK_WINS: dict[str, float]      agent -> share of the games that the bundled network wins
                                against it at a table of four or fewer

Beside these modules a game needs its golden playthroughs (`make golden`).
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class OwnChange:
    """A position that differs from another one in what some seats know and the others do not.

    Attributes:
        what: Which secret was changed.
        record: The changed position.
        seats: The seats that see a difference.
        in_text: Whether a position in notation holds what was changed.
    """

    what: str
    record: Any
    seats: Set[int]
    in_text: bool = True


@dataclass(frozen=True)
class OverRandom:
    """What an agent reaches against random players.

    Attributes:
        wins: Least share of its games that it wins, by number of seats.
        lead: How much its mean score is above theirs, at least.
    """

    wins: dict[int, float]
    lead: float


def of(game: str, module: str) -> Any:
    """A module of what the tests must know about a game.

    Raises:
        LookupError: it is not there; says which file is to be written and what it must offer.
    """
    name = f"tests.{game}.{module}"
    try:
        return import_module(name)
    except ModuleNotFoundError as fault:
        if fault.name is None or not f"{name}.".startswith(f"{fault.name}."):
            raise  # it is there, and something that it imports is not
        raise LookupError(
            f"{game} has no {name.replace('.', '/')}.py; write it: the docstring of "
            f"tests/contract/knowledge.py says what {module}.py must offer"
        ) from None
