"""Random changes to what a seat may not know of a position (Rules D2, D3).

`change_in_dict` and `change_in_record` return another position that the seat cannot tell from the
first. `own_changes` yields positions that it can, each with one of its own secrets changed.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from shakespeare_env.shakespeare.state import IN_WAGER, NOBODY
from tests.contract.knowledge import OwnChange

WAGERS = range(1, 6)


def change_in_dict(position: dict[str, Any], seat: int, rng: random.Random) -> dict[str, Any]:
    """Exchange objectives of the others and of the pile, and redraw the others' pending choices.

    A position in text does not tell who put an objective back, so all of the pile is unknown.
    """
    changed = copy.deepcopy(position)
    others = [entry for i, entry in enumerate(changed["seats"]) if i != seat]
    heaps = [changed["objective_deck"], *(other["objectives"] for other in others)]
    if changed["phase"] == "objective" and changed["to_move"] != seat:
        heaps.append(changed["pending"]["drawn"])
    unseen = [objective for heap in heaps for objective in heap]
    rng.shuffle(unseen)
    for heap in heaps:
        heap[:] = [unseen.pop() for _ in heap]
    for other in others:
        if changed["phase"] == "wager" and other["wager"] is not None:
            other["wager"] = rng.choice(WAGERS)
        if other["kept"] is not None:
            other["kept"] = rng.choice([m["card"] for m in other["troupe"] if m["cylinder"]])
    return changed


def change_in_record(record: Any, seat: int, rng: random.Random) -> Any:
    """Change a record likewise, but not what the seat put back itself; change chance to come."""
    game = record.copy()
    others = [other for other in range(game["players"]) if other != seat]
    places = [
        (game["objectives"][other], place)
        for other in others
        for place in range(game["objectives_len"][other])
    ]
    places += [
        (game["objective_deck"], place)
        for place in range(game["objective_deck_len"])
        if game["objective_known"][place] != seat
    ]
    if game["to_move"] != seat:
        places += [(game["drawn"], place) for place in range(game["drawn_len"])]
    unseen = [int(heap[place]) for heap, place in places]
    rng.shuffle(unseen)
    for heap, place in places:
        heap[place] = unseen.pop()
    for other in others:
        if game["part"] == IN_WAGER and game["wager"][other]:
            game["wager"][other] = rng.choice(WAGERS)
        if game["kept"][other] != NOBODY:
            game["kept"][other] = rng.choice(activated(game, other))
    game["random"] = np.uint64(rng.getrandbits(64))
    return game


def activated(game: Any, seat: int) -> list[int]:
    """Return the cards that a seat activated today."""
    return [int(card) for card in game["card"][seat][game["cylinder"][seat] == 1]]


def own_changes(record: Any, seat: int) -> Iterator[OwnChange]:
    """Yield a change of each secret that the seat itself has."""
    for what, changed in _changed(record, seat):
        # A position in text does not tell who put an objective back.
        yield OwnChange(what, changed, {seat}, in_text="put back" not in what)


def _changed(record: Any, seat: int) -> Iterator[tuple[str, Any]]:
    """Yield what is changed, in words, and the changed record."""
    deck = record["objective_deck"]
    known = record["objective_known"]
    unknown = np.flatnonzero(known[: record["objective_deck_len"]] == NOBODY)
    top = unknown[0] if len(unknown) else None
    held = int(record["objectives_len"][seat])
    if held and top is not None:
        yield "objective kept", _exchanged(record, ("objectives", (seat, held - 1)), top)
    if record["to_move"] == seat and record["drawn_len"] and top is not None:
        yield "objective drawn", _exchanged(record, ("drawn", 0), top)
    own = np.flatnonzero(known[: record["objective_deck_len"]] == seat)
    if len(own) > 1:
        yield "order of objectives put back", _exchanged(record, ("objective_deck", own[0]), own[1])
    if len(own) and top is not None:
        changed = record.copy()
        changed["objective_deck"][[own[0], top]] = deck[[top, own[0]]]
        yield "objective put back", changed
    if record["part"] == IN_WAGER and record["wager"][seat]:
        changed = record.copy()
        changed["wager"][seat] = record["wager"][seat] % 5 + 1
        yield "wager", changed
    if record["kept"][seat] != NOBODY:
        for card in set(activated(record, seat)) - {int(record["kept"][seat])}:
            changed = record.copy()
            changed["kept"][seat] = card
            yield "rest choice", changed


def _exchanged(record: Any, one: tuple[str, Any], place: Any) -> Any:
    """Return a copy in which an objective and one of the pile have changed places."""
    name, where = one
    changed = record.copy()
    changed[name][where] = record["objective_deck"][place]
    changed["objective_deck"][place] = record[name][where]
    return changed
