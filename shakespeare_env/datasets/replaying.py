"""An arena's games, played again from their deals and actions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shakespeare_env import registry
from shakespeare_env.batch import Batch
from shakespeare_env.errors import DatasetError
from shakespeare_env.position import Position

MOST_ACTIONS = 4000
"""In a game; those of the bundled boxes have some hundreds."""


def replayed(row: Mapping[str, Any]) -> list[Position]:
    """The positions of a game, from its deal on: one more than it has actions.

    Args:
        row: Of `RESULTS`, by column, as `results_reading.read_results` gives them.

    Raises:
        DatasetError: it is no game of the box in force: it is not dealt, an action is not legal, or
            it does not end as the row says.
    """
    if len(row["actions"]) > MOST_ACTIONS:
        raise DatasetError(
            f"{len(row['actions'])} actions, and a game has {MOST_ACTIONS} at most{_remedy(row)}"
        )
    positions = [_dealt(row)]
    for number, action in enumerate(row["actions"]):
        after = positions[-1].copy()
        mask = after.action_mask()
        if not 0 <= action < len(mask) or not mask[action]:
            raise DatasetError(
                f"action {number} is {action}, which is not legal there{_remedy(row)}"
            )
        after.push(after.move_text(action))
        positions.append(after)
    _check_end(row, positions[-1])
    return positions


def dealt(game: str, players: int, seed: int, deal: int, variants: Iterable[str]) -> Position:
    """The start of game `deal` of `Batch(seed=seed)`.

    Raises:
        TypeError, ValueError: there is no such game, or not for so many seats or with the variants.
    """
    named: dict[str, Any] = dict.fromkeys(variants, True)
    # Here, because a batch has arguments that are no variants.
    registry.game(game).option_bits(named, [players])
    if deal < 0:
        raise ValueError(f"deal {deal} is below 0")
    batch = Batch(game, 1, players=players, autoreset=False, **named)
    batch.reset(seed, [deal])
    return Position.of_record(batch.game, batch.save(slice(None))[0])


def _dealt(row: Mapping[str, Any]) -> Position:
    try:
        fault = registry.box_fault(row["game"], row["box_digest"])
        start = dealt(row["game"], row["players"], row["seed"], row["deal"], row["variants"])
    except (TypeError, ValueError) as error:
        raise DatasetError(f"{error}{_remedy(row)}") from error
    if fault:
        raise DatasetError(fault)
    return start


def _check_end(row: Mapping[str, Any], last: Position) -> None:
    if last.to_move != row["forfeited_by"]:
        found = "over" if last.to_move is None else f"for seat {last.to_move} to go on"
        said = row["forfeited_by"]
        told = "it was played to the end" if said is None else f"seat {said} forfeited it"
        raise DatasetError(
            f"after its {len(row['actions'])} actions the game is {found}, but {told}{_remedy(row)}"
        )
    if last.scores() != list(row["scores"]):
        raise DatasetError(f"it ends with {last.scores()}, not {row['scores']}{_remedy(row)}")


def _remedy(row: Mapping[str, Any]) -> str:
    return f"; version {row['package_version']!r} wrote it: use that, or copy the results again"
