"""The report: sections filled from standings and rendered as one HTML file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from shakespeare_agents.arena import wording
from shakespeare_agents.arena.report import figures, palette
from shakespeare_agents.arena.report.about import About
from shakespeare_agents.arena.report.figures import Facts
from shakespeare_agents.storage import write_atomically
from shakespeare_env.drawing.chart import Axis, linear
from shakespeare_env.extras import needing

if TYPE_CHECKING:
    import jinja2

    from shakespeare_agents.arena.standings.standings import Standings

_TEMPLATES = Path(__file__).parent / "templates"
_WHOLE = 400
"""The most characters of a name shown whole."""
_PART = 18
"""The fewest characters of a name that a line holds."""

Agents = Mapping[str, Facts]
"""The agents by label: the `name` to show, the `parts` between which a line may end, the `whole`
name, shortened only if it is very long, and the `digest` of what it is made from."""


class Section(NamedTuple):
    """A part of the report with a heading; `name` is its anchor and its template's name.

    Without `facts` it is left out.
    """

    name: str
    title: str
    facts: Callable[[Standings, Agents], Facts | None]


def write_report(standings: Standings, about: About, path: Path) -> None:
    """Write the report atomically.

    Raises:
        ModuleNotFoundError: Jinja is not installed.
        OSError: the file cannot be written.
    """
    write_atomically(path, report_html(standings, about).encode())


def report_html(standings: Standings, about: About) -> str:
    """One HTML file that fetches nothing and needs no script; equal arguments, equal bytes.

    Raises:
        ModuleNotFoundError: Jinja is not installed.
    """
    agents = {row["agent"]: _agent(row) for row in _rows(standings, "ladder", "solo")}
    found = ((section, section.facts(standings, agents)) for section in SECTIONS)
    return (
        _environment()
        .get_template("report.html")
        .render(
            about=about,
            standings=standings,
            agents=agents,
            seats=sorted({*standings.tables["players"], *(1 for _ in standings.solo["agent"])}),
            sections=[(section, facts) for section, facts in found if facts is not None],
            light=palette.custom_properties("light"),
            dark=palette.custom_properties("dark"),
            heat_steps=palette.STEPS,
        )
    )


@cache
def _environment() -> jinja2.Environment:
    with needing("arena", "the arena's report needs"):
        import jinja2
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": wording.number,
        "signed": wording.signed,
        "percent": wording.percent,
        "ms": wording.milliseconds,
        "counted": wording.counted,
        "mean_of_ladders": wording.mean_of_ladders,
        "printable": partial(wording.shown_name, room=_WHOLE),
        "lines": wording.printable_lines,
    }
    environment.globals |= {
        "between": wording.between,
        "percent": wording.percent,
        "shared_rank": wording.SHARED_RANK,
        "two_decimals": partial(wording.number, digits=2),
        "two_signed": partial(wording.signed, digits=2),
    }
    return environment


def _agent(row: Facts) -> Facts:
    name, whole = (wording.shown_name(row["agent"], *room) for room in ((), (_WHOLE,)))
    parts = re.findall(rf"[^,/ ]{{0,{_PART}}}[,/ ]?", name)[:-1]
    return {"name": name, "parts": parts, "whole": whole, "digest": row["digest"]}


def _rows(standings: Standings, *frames: str) -> Iterator[Facts]:
    for frame in frames:
        yield from getattr(standings, frame).to_dicts()


def _by_players(rows: Iterable[Facts]) -> dict[int, list[Facts]]:
    grouped: dict[int, list[Facts]] = {}
    for row in rows:
        grouped.setdefault(row["players"], []).append(row)
    return grouped


def _axis(rows: Iterable[Facts], *columns: str, unit: float = 1, origin: bool = False) -> Axis:
    """An axis that holds all values of some columns, and 0 as its `origin`."""
    start = [0.0] if origin else []
    return linear([*start, *(row[column] for row in rows for column in columns)], unit=unit)


def _ladder(standings: Standings, _agents: Agents) -> Facts | None:
    columns = ("low", "rating", "high")
    by_players = _by_players(_rows(standings, "ladder"))
    combined = [*_rows(standings, "combined")]
    facts = {
        "by_players": by_players,
        "axes": {players: _axis(rows, *columns) for players, rows in by_players.items()},
        "times": {(row["players"], row["agent"]): row for row in _rows(standings, "times")},
        "combined": combined,
        "combined_axis": _axis(combined, *columns),
    }
    return facts if by_players else None


def _solo(standings: Standings, _agents: Agents) -> Facts | None:
    rows = [*_rows(standings, "solo")]
    return {"rows": rows, "axis": _axis(rows, "low", "mean", "high")} if rows else None


def _met(standings: Standings) -> Iterator[tuple[int, list[str], list[Facts]]]:
    """For each number of seats, the labels on the ladder and the rows of its pairs."""
    for players, ladder in standings.ladders().items():
        pairs = standings.pairs.filter(players=players)
        yield players, ladder["agent"].to_list(), [*pairs.to_dicts()]


def _matrix(standings: Standings, _agents: Agents) -> Facts | None:
    tables = []
    for players, labels, met in _met(standings):
        rank = {agent: place for place, agent in enumerate(labels)}
        once = [pair for pair in met if rank[pair["agent"]] < rank[pair["other"]]]
        pairs = sorted(once, key=lambda pair: (rank[pair["agent"]], rank[pair["other"]]))
        cells = figures.win_matrix(met, labels)
        facts = {"players": players, "labels": labels, "cells": cells, "pairs": pairs}
        tables.append({**facts, "surprising": sum(map(figures.is_surprising, pairs))})
    return {"tables": tables} if any(table["pairs"] for table in tables) else None


def _differences(standings: Standings, _agents: Agents) -> Facts | None:
    tables = []
    for players, labels, met in _met(standings):
        cells = figures.score_matrix(met, labels)
        if any(map(any, cells)):
            tables.append({"players": players, "labels": labels, "cells": cells})
    return {"tables": tables} if tables else None


def _scores(standings: Standings, _agents: Agents) -> Facts | None:
    ladders = {1: standings.solo, **standings.ladders()}
    orders = {players: rows["agent"].to_list() for players, rows in ladders.items()}
    tables = figures.histograms(standings.scores, orders)
    return {"tables": tables, "height": figures.HEIGHT} if tables else None


def _tables(standings: Standings, _agents: Agents) -> Facts | None:
    by = ["players", "agent"]
    ladder = standings.ladder.select(by)
    rows = ladder.join(standings.tables, on=by, maintain_order="left").to_dicts()
    facts = {
        "by_players": _by_players(rows),
        "rates": _axis(rows, "low", "win_rate", "high", "parity", unit=0.01, origin=True),
        "scores": _axis(rows, "score_low", "mean_score", "score_high"),
    }
    return facts if rows else None


def _speed(standings: Standings, _agents: Agents) -> Facts | None:
    found = figures.planes(standings)
    return {"planes": found} if found else None


def _cycles(standings: Standings, _agents: Agents) -> Facts | None:
    rows = [*_rows(standings, "cycles")]
    proven, likely = ([row for row in rows if row["significant"] is sure] for sure in (True, False))
    triples = any(ladder.height > 2 for ladder in standings.ladders().values())
    return {"proven": proven, "likely": likely} if triples else None


def _balance(standings: Standings, _agents: Agents) -> Facts | None:
    seats = standings.seats.sort("players", "seat").to_dicts()
    deals = standings.deals.sort("players").to_dicts()
    rates = _axis(seats, "low", "win_rate", "high", "parity", unit=0.01)
    facts = {"by_players": _by_players(seats), "rates": rates, "deals": deals}
    return facts if seats or deals else None


def _faults(standings: Standings, _agents: Agents) -> Facts | None:
    return {"rows": [*_rows(standings, "faults")]} if standings.games else None


SECTIONS = (
    Section("ladder", "Ladders", _ladder),
    Section("solo", "Alone at the table", _solo),
    Section("matrix", "Who finishes ahead of whom", _matrix),
    Section("differences", "Score differences on the same deals", _differences),
    Section("tables", "By number of seats", _tables),
    Section("scores", "Distribution of scores", _scores),
    Section("speed", "Strength and thinking time", _speed),
    Section("cycles", "Cycles", _cycles),
    Section("balance", "Seats and deals", _balance),
    Section("faults", "Faults", _faults),
    Section("reproduce", "How to reproduce", lambda _standings, _agents: {}),
)
