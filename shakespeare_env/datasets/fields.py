"""Fields of observations as columns of frames: what the observing seat knows, as numbers or words.

A column is named after what it holds: a field, such as `day` or `seat0.pounds`, or a named number
of a field, such as `seat0.metrics.stage_spaces`. The observing seat is `seat0`, and the next one
clockwise is `seat1`. A game's `layout` lists its fields.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shakespeare_env.checks.values import did_you_mean, short_repr
from shakespeare_env.core.game import ObservationField, ObservationLayout
from shakespeare_env.datasets.frames import load_polars

if TYPE_CHECKING:
    import polars

_OTHER_SEAT = re.compile(r"seat[1-9]")


def field_column(
    layout: ObservationLayout, name: str, observations: NDArray[np.int8]
) -> polars.Series:
    """Return a column of n observations, named `name`.

    For a one-hot field, the column holds the name of the choice that is set. Names are converted
    to integers if all names of the field are whole numbers. If the choices have no names, the
    column holds the place of the choice, counted from 1. It is null where no choice is set.

    For any other field, the column holds the field's number, or an array if it has several. Numbers
    are int16, so that sums and products of a few of them do not overflow.

    Args:
        layout: The layout of the observations.
        name: The name of a field, or that of a field and one of its named numbers.
        observations: int8[n, D].

    Raises:
        ValueError: There is no such field or number.
    """
    pl = load_polars()
    field_name, number_name = _split(layout, name)
    field = layout[field_name]
    numbers = observations[:, field.slice].astype(np.int16)
    column: polars.Series
    if number_name:
        column = pl.Series(name, numbers[:, field.names.index(number_name)])
    elif field.is_one_hot:
        no_choice = pl.Series(~numbers.any(axis=1))
        places = pl.Series(numbers.argmax(axis=1)).set(no_choice, None)
        column = _choices(field).gather(places).alias(name)
    else:
        column = pl.Series(name, numbers[:, 0] if field.size == 1 else numbers)
    return column


def _split(layout: ObservationLayout, name: str) -> tuple[str, str]:
    """Return the name of a field, and the name of one of its numbers or an empty text."""
    if name in layout.fields:
        return name, ""
    field_name, _, number_name = name.rpartition(".")
    if field_name in layout.fields:
        known = layout[field_name].names
        if number_name in known:
            return field_name, number_name
        raise ValueError(
            f"the field {field_name!r} has no number {short_repr(number_name)}"
            f"{did_you_mean(number_name, known)}; {', '.join(known) or 'none'} have names"
        )
    # All seats have the same fields, so that those of the observing seat are enough to suggest.
    similar = [known for known in layout.fields if not _OTHER_SEAT.match(known)]
    raise ValueError(
        f"the observation has no field {short_repr(name)}{did_you_mean(name, similar)}; "
        "`list(game.layout.fields)` names all fields"
    )


def _choices(field: ObservationField) -> polars.Series:
    """Return the values of a one-hot field, by the place of its 1."""
    pl = load_polars()
    places: polars.Series = pl.Series(np.arange(1, field.size + 1, dtype=np.int16))
    if not field.names:
        return places
    names: polars.Series = pl.Series(field.names, dtype=pl.String)
    as_numbers = names.cast(pl.Int16, strict=False)
    return names if as_numbers.has_nulls() else as_numbers
