"""The promises that a game's rules make to everything else, tried in random games."""

from __future__ import annotations

import numpy as np

from shakespeare_env.core import registry
from shakespeare_env.core.batch_checks import first_fault
from shakespeare_env.core.kernels import kernels_of
from shakespeare_env.core.position import Position
from shakespeare_env.core.row_rules import NAMES
from shakespeare_env.equality.trace import Setting, choose
from shakespeare_env.equality.views import Comparison
from shakespeare_env.play.tracing import Tracer

_TEXT_EVERY = 5
"""Decisions from one that is written as text, and drawn anew for every seat, to the next."""
_MOST = 400
"""Decisions after which no other game begins."""


def soundness(setting: Setting, compare: Comparison) -> None:
    """Games in text, position by position.

    Numbers stay in range and faultless, `legal` counts what it allows, somebody wins, text that is
    read says and allows the same, and what a seat does not see has no influence on what it is
    shown. Rewards change none of it, so one of them will do.
    """
    if setting.reward != NAMES[0]:
        return
    game = registry.game(setting.game)
    rules = Tracer(game.rules.play, game.rules.legal, game.actions.size, {})
    for number in range(setting.rows * setting.games):
        if compare.decisions >= _MOST:
            return
        view = Position.new(
            setting.game, players=setting.players, seed=setting.seed + number, **setting.options
        )
        while view.to_move is not None:
            seen = view.observation(view.to_move)
            _check_faults(view, compare)
            count, mask = rules.legal(view.record())
            compare.same("what legal allows", mask, view.action_mask())
            compare.same("what legal returns", int(mask.sum()), count)
            if compare.decisions % _TEXT_EVERY == 0:
                _check_text(view, compare)
                _check_secrets(view, compare)
            view.push(view.move_text(int(choose(seen[None], mask[None])[0])))
            compare.decisions += 1
        _check_faults(view, compare)
        compare.holds(bool(view.winners), "nobody has won; name the winners")


def _check_faults(view: Position, compare: Comparison) -> None:
    fault = first_fault(view.game, kernels_of(view.game), np.array([view.record()]))
    said = "" if fault is None else fault[1].rpartition(";")[0]
    compare.holds(not said, f"the rules have made a position that cannot occur: {said}")


def _check_text(view: Position, compare: Comparison) -> None:
    read = Position.from_dict(view.to_dict())
    compare.same("the mask after a way through text", view.action_mask(), read.action_mask())
    compare.holds(read.to_dict() == view.to_dict(), "text does not hold the whole position")


def _check_secrets(view: Position, compare: Comparison) -> None:
    for seat in range(view.players):
        drawn = view.determinize(seat, compare.decisions)
        what = f"after what seat {seat} does not know is drawn anew,"
        compare.same(f"{what} its view", view.observation(seat), drawn.observation(seat))
        if seat == view.to_move:
            compare.same(f"{what} its mask", view.action_mask(), drawn.action_mask())
