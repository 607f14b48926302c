"""Knowledge of a game that the contract tests need, found by the game's name.

No test outside `tests/<game>/` names a game. The contract does not say all that tests need; the
rest is in modules in the folder of the game's own tests, which `of` finds:

`facts.py`       RULES: set[str], the number of every rule, such as "B2"; SECRET_MOVES: bool,
                 whether there are moves that the others are not told; OWN_FIELDS: set[str], fields
                 of a seat's block in an observation (`seat0.NAME`) that hold what it alone may
                 know; counters(position), of every seat all that `Event.counters` can change, by
                 name, and the score as `points`; EXPLAINED_WITH_MOVE: re.Pattern[str] of moves
                 whose parts have no topics of their own; PART_OF_TOPIC: re.Pattern[str] of what a
                 part of a move has besides its topic's name
`hidden.py`      what a seat may not know, changed at random: change_in_dict(position, seat, rng)
                 and change_in_record(record, seat, rng), which changes `random`, too, give a
                 position that the seat cannot tell from the first; own_changes(record, seat)
                 positions that it can, each with one of its own secrets changed
`box_changes.py` another box, without imports from the engine: OLD, a text that stands once in the
                 game's box, which is no box without; NEW, two (text in its place, what `fact` then
                 says); fact(position), of the first position of a game with the most seats
`strength.py`    HEURISTIC_OVER_RANDOM, GREEDY_OVER_RANDOM: OverRandom; NETWORK_WINS: agent ->
                 share of games that the bundled network wins against it at four or fewer seats;
                 FIRST_NETWORK, SHA-256 of the weights of `network,version=1`

Beside these modules a game needs its golden playthroughs (`make golden`).
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class OwnChange:
    """A position that differs from another one in a secret that some `seats` know.

    `what` names the secret; `in_text` says whether positions in notation hold it.
    """

    what: str
    record: Any
    seats: Set[int]
    in_text: bool = True


@dataclass(frozen=True)
class OverRandom:
    """The least that an agent reaches against random players.

    `wins` is the share of its games by number of seats, `lead` its mean score above theirs.
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
            raise  # it is there, and something that it imports is not
        raise LookupError(f"write {name.replace('.', '/')}.py: see {__file__}") from None
