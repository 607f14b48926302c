"""What may differ between boxes, for networks that are to play with any of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from shakespeare_env.core.fact_table import NONE, FactTable, index_rows
from shakespeare_env.shakespeare import actions as a
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.record import layout as at

_MOST_COUNTED = 15
"""The highest count whose prestige on an objective is a fact of its own."""
_FIRST_PAID, _LAST_PAID = 7, 15
"""The values of complete costumes whose pay differs between boxes."""
_SPACES = 12
"""The spaces of Acts I and III whose pay is a fact."""
_COLOURS = range(t.N_COLOURS)


def _by_entity(*facts: Any) -> npt.NDArray[np.int16]:
    """Facts of each entity, int16[B, E] or [B, E, k] each -> int16[B, E, F]."""
    columns = [np.asarray(fact, np.int16) for fact in facts]
    return np.concatenate([c if c.ndim == 3 else c[..., None] for c in columns], axis=2)


def _to_all(facts: npt.NDArray[Any], entities: int) -> npt.NDArray[Any]:
    """[B, F] -> [B, E, F], the same for all entities."""
    return np.repeat(facts[:, None], entities, axis=1)


def _blocks() -> range:
    """Where the seats' blocks of an observation begin."""
    return range(0, t.N_SEATS * at.SEAT_SIZE, at.SEAT_SIZE)


def _of_deck(first: int) -> npt.NDArray[np.int64]:
    """A number for each card of the deck, by card."""
    return np.concatenate([np.full(t.N_BOARD, NONE), first + np.arange(t.N_DECK)])


def _chosen_by(index: npt.NDArray[np.int64], first: int) -> npt.NDArray[np.int64]:
    """An action for each card that has an index, by card."""
    return np.where(index >= 0, first + index, NONE)


def _cards() -> FactTable:
    worth = np.array(t.ELEMENT_VALUE)[t.TAKE_COLOUR]
    costume = slice(0, t.N_CARDS)
    facts = _by_entity(
        t.COST,
        t.QUILLS,
        t.WHITE,
        t.MOOD,
        t.OTHERS_MOOD,
        t.POUNDS,
        t.PRESTIGE,
        worth * (t.TAKE_KIND == t.COSTUME),
        worth * (t.TAKE_KIND == t.SET),
        t.COSTUME_QUILLS[:, costume],
        t.COSTUME_WHITE[:, costume],
        t.COSTUME_POUNDS[:, costume],
        t.COSTUME_PRESTIGE[:, costume],
    )
    every = np.arange(t.N_CARDS)
    seen = [block + first + every for block in _blocks() for first in (at.CARDS, at.ACTIVE)]
    seen += [at.RESTING + every, at.OWN_KEPT + every, _of_deck(at.SHOWN), _of_deck(at.DECK)]
    chosen = [_of_deck(first) for first in (a.DRAFT, a.RECRUIT, a.EXTRA)]
    chosen += [_chosen_by(a.ACTIVATE_INDEX, first) for first in (a.ACTIVATE, a.KEEP)]
    chosen += [_chosen_by(a.PLUS_3_INDEX, a.ACTIVATE_PLUS_3)]
    return FactTable("cards", facts, index_rows(seen, t.N_CARDS), index_rows(chosen, t.N_CARDS))


def _pay() -> npt.NDArray[np.int16]:
    """int16[B, F]: what complete costumes pay, by value."""
    paid = slice(_FIRST_PAID, _LAST_PAID + 1)
    return np.concatenate([t.GAIN_POUNDS[:, paid], t.GAIN_PRESTIGE[:, paid]], axis=1)


def _reached(pay: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """int16[B, spaces], whose number depends on the boxes in force -> int16[B, F]."""
    more = max(0, _SPACES + 1 - pay.shape[1])
    return np.pad(pay, ((0, 0), (0, more)), mode="edge")[:, 1 : _SPACES + 1]


def _wearers() -> FactTable:
    row = np.array([*np.flatnonzero(t.WEARER_OF_CARD >= 0), *[t.EXTRA] * t.N_EXTRAS])
    facts = _by_entity(
        t.COSTUME_QUILLS[:, row],
        t.COSTUME_WHITE[:, row],
        t.COSTUME_POUNDS[:, row],
        t.COSTUME_PRESTIGE[:, row],
        _to_all(_pay(), t.N_WEARERS),
    )
    every = np.arange(t.N_WEARERS)
    seen = [block + first + every for block in _blocks() for first in (at.ELEMENTS, at.VALUES)]
    chosen = [a.COSTUME + colour * t.N_WEARERS + every for colour in _COLOURS]
    return FactTable(
        "wearers", facts, index_rows(seen, t.N_WEARERS), index_rows(chosen, t.N_WEARERS)
    )


def _spaces() -> FactTable:
    every = np.arange(t.N_SPACES)
    seen = [
        block + at.STAGE + every * t.N_COLOURS + colour
        for block in _blocks()
        for colour in _COLOURS
    ]
    chosen = [a.SET + colour * t.N_SPACES + every for colour in _COLOURS]
    return FactTable(
        "spaces", _by_entity(t.CANDLE), index_rows(seen, t.N_SPACES), index_rows(chosen, t.N_SPACES)
    )


def _objectives() -> FactTable:
    prestige = np.zeros((t.N_BOXES, t.N_OBJECTIVES, _MOST_COUNTED), np.int16)
    for number, objective, step in np.ndindex(t.STEP_AT.shape):
        reached = max(int(t.STEP_AT[number, objective, step]), 1)
        prestige[number, objective, reached - 1 :] = t.STEP_PRESTIGE[number, objective, step]
    every = np.arange(t.N_OBJECTIVES)
    seen = [first + every for first in (at.OWN_DRAWN, at.OWN, at.KNOWN)]
    return FactTable(
        "objectives",
        prestige,
        index_rows(seen, t.N_OBJECTIVES),
        index_rows([a.OBJECTIVE + every], t.N_OBJECTIVES),
    )


def _box() -> FactTable:
    """What concerns no entity: the number that is always 1 says it, the observer's presence."""
    facts = np.concatenate(
        [
            t.ACT_LENGTH,
            _reached(t.ACT_I_POUNDS),
            _reached(t.ACT_III_PRESTIGE),
            _pay(),
            t.CANDLE.sum(axis=1)[:, None],
        ],
        axis=1,
    )
    chosen = [a.QUILL + act for act in range(3)]
    chosen += [a.QUEEN_MONEY, a.QUEEN_OBJECTIVES, a.PASS]
    return FactTable(
        "box", facts[:, None].astype(np.int16), index_rows([at.PRESENT], 1), index_rows(chosen, 1)
    )


FACT_TABLES = (_cards(), _wearers(), _spaces(), _objectives(), _box())
