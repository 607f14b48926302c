"""The effects of a move, and of what follows it by itself, in words."""

from __future__ import annotations

from shakespeare_env.core.game import Record
from shakespeare_env.core.presentation import Event
from shakespeare_env.play.tracing import Tracer
from shakespeare_env.shakespeare import actions as a
from shakespeare_env.shakespeare.rules import flow
from shakespeare_env.shakespeare.words import day_events, turn_events

_TELLERS = {**turn_events.TELLERS, **day_events.TELLERS}
_TRACER = Tracer(flow.play, flow.legal, a.TABLE.size, _TELLERS)


def events(before: Record, action: int, after: Record, viewer: int | None) -> list[Event]:
    """Every effect, in order; chance to come is in none of them, so `after` is not needed."""
    return _TRACER.run(before, action, viewer)[1]
