"""Measurements in TensorBoard: their names, and charts that show their intervals."""

from __future__ import annotations

from collections.abc import Iterable

from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat

from shakespeare_training.runs.history import ITSELF, SOLO, Measurement, seats_text

_ENDS = ("", "_low", "_high")
"""Endings of names: the figure, and the ends of its 95 % interval."""


def log_measurement(logger: Logger, found: Measurement) -> None:
    """Record its main figure with its interval, such as `win_rate/4_seats_against_heuristic`.

    Against itself and alone the main figure is the winning score.
    """
    figures = (found.win_rate, found.low, found.high)
    if found.win_rate is None:
        figures = (found.mean_winning_score, found.winning_low, found.winning_high)
    for name, figure in zip(_names(found.players, found.opponent), figures, strict=True):
        if figure is not None:
            logger.record(name, figure)


def add_charts(logger: Logger, kinds: Iterable[tuple[int, str]]) -> None:
    """Let TensorBoard draw the figures of some kinds of games with their intervals as bands."""
    charts: dict[str, dict[str, list[object]]] = {}
    for kind in kinds:
        names = _names(*kind)
        what, _, which = names[0].partition("/")
        charts.setdefault(what, {})[which] = ["Margin", names]
    for output in logger.output_formats:
        if isinstance(output, TensorBoardOutputFormat):
            output.writer.add_custom_scalars(charts)


def _names(players: int, opponent: str) -> list[str]:
    where = seats_text(players).replace(" ", "_")
    if opponent in (SOLO, ITSELF):
        return [f"winning_score{end}/{where}" for end in _ENDS]
    return [f"win_rate{end}/{where}_against_{opponent}" for end in _ENDS]
