"""The report: sections filled from standings and rendered as one HTML file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shakespeare_agents.arena import wording
from shakespeare_agents.arena.report import matrices, palette
from shakespeare_agents.arena.report.about import About
from shakespeare_agents.arena.report.agents import Named, agents_of
from shakespeare_agents.arena.report.axes import Axis, linear
from shakespeare_agents.arena.report.histograms import HEIGHT, histograms
from shakespeare_agents.arena.report.speed import planes
from shakespeare_agents.storage import write_atomically
from shakespeare_env.extras import needing

if TYPE_CHECKING:
    import jinja2
    import polars as pl

    from shakespeare_agents.arena.standings.standings import Standings

_TEMPLATES = Path(__file__).parent / "templates"

Facts = Mapping[str, Any]
"""What a section's template shows; a section without facts is left out."""


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
    agents = agents_of(standings)
    found = ((section, section.facts(standings, agents)) for section in SECTIONS)
    sections = [(section, facts) for section, facts in found if facts is not None]
    return (
        _environment()
        .get_template("report.html")
        .render(
            about=about,
            standings=standings,
            agents=agents,
            seats=sorted({*standings.tables["players"], *(1 for _ in standings.solo["agent"])}),
            sections=sections,
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
        "printable": partial(wording.shown_name, room=400),
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


def _ends(rows: Iterable[Facts], *columns: str) -> list[float | None]:
    """All values of some columns, for an axis."""
    return [row[column] for row in rows for column in columns]


def _ladder(standings: Standings, _agents: Mapping[str, Named]) -> Facts | None:
    times = {(row["players"], row["agent"]): row for row in standings.times.to_dicts()}
    by_players = _by_players(standings.ladder.to_dicts())
    combined = standings.combined.to_dicts()
    facts = {
        "by_players": by_players,
        "axes": {players: _axis(rows) for players, rows in by_players.items()},
        "times": times,
        "combined": combined,
        "combined_axis": _axis(combined),
    }
    return facts if by_players else None


def _axis(rows: Iterable[Facts]) -> Axis:
    return linear(_ends(rows, "low", "rating", "high"))


def _solo(standings: Standings, _agents: Mapping[str, Named]) -> Facts | None:
    rows = standings.solo.to_dicts()
    return {"rows": rows, "axis": linear(_ends(rows, "low", "mean", "high"))} if rows else None


def _matrix(standings: Standings, _agents: Mapping[str, Named]) -> Facts | None:
    tables = []
    for players, labels, met in _met(standings):
        pairs = matrices.once(met, labels)
        cells = matrices.win_matrix(met, labels)
        facts = {"players": players, "labels": labels, "cells": cells, "pairs": pairs}
        tables.append({**facts, "surprising": matrices.surprising(pairs)})
    return {"tables": tables} if any(table["pairs"] for table in tables) else None


def _differences(standings: Standings, _agents: Mapping[str, Named]) -> Facts | None:
    tables = []
    for players, labels, met in _met(standings):
        cells = matrices.score_matrix(met, labels)
        if any(map(any, cells)):
            tables.append({"players": players, "labels": labels, "cells": cells})
    return {"tables": tables} if tables else None


def _met(standings: Standings) -> Iterator[tuple[int, list[str], pl.DataFrame]]:
    """For each number of seats, the labels on the ladder and the rows of its pairs."""
    for players, ladder in standings.ladders().items():
        yield players, ladder["agent"].to_list(), standings.pairs.filter(players=players)


def _scores(standings: Standings, _agents: Mapping[str, Named]) -> Facts | None:
    ladders = {1: standings.solo, **standings.ladders()}
    orders = {players: rows["agent"].to_list() for players, rows in ladders.items()}
    tables = histograms(standings.scores, orders)
    return {"tables": tables, "height": HEIGHT} if tables else None


def _tables(standings: Standings, _agents: Mapping[str, Named]) -> Facts | None:
    rows = (
        standings.ladder.select("players", "agent")
        .join(standings.tables, on=["players", "agent"], maintain_order="left")
        .to_dicts()
    )
    return (
        {
            "by_players": _by_players(rows),
            "rates": linear([0, *_ends(rows, "low", "win_rate", "high", "parity")], unit=0.01),
            "scores": linear(_ends(rows, "score_low", "mean_score", "score_high")),
        }
        if rows
        else None
    )


def _speed(standings: Standings, agents: Mapping[str, Named]) -> Facts | None:
    found = planes(standings, {label: agent.name for label, agent in agents.items()})
    return {"planes": found} if found else None


def _cycles(standings: Standings, _agents: Mapping[str, Named]) -> Facts | None:
    rows = standings.cycles.to_dicts()
    proven = [row for row in rows if row["significant"]]
    likely = [row for row in rows if not row["significant"]]
    return {"proven": proven, "likely": likely} if _has_triples(standings) else None


def _has_triples(standings: Standings) -> bool:
    return any(ladder.height > 2 for ladder in standings.ladders().values())


def _balance(standings: Standings, _agents: Mapping[str, Named]) -> Facts | None:
    seats = standings.seats.sort("players", "seat").to_dicts()
    deals = standings.deals.sort("players").to_dicts()
    return (
        {
            "by_players": _by_players(seats),
            "rates": linear(_ends(seats, "low", "win_rate", "high", "parity"), unit=0.01),
            "deals": deals,
        }
        if seats or deals
        else None
    )


def _faults(standings: Standings, _agents: Mapping[str, Named]) -> Facts | None:
    return {"rows": standings.faults.to_dicts()} if standings.games else None


def _always(_standings: Standings, _agents: Mapping[str, Named]) -> Facts | None:
    return {}


def _by_players(rows: Iterable[Facts]) -> dict[int, list[Facts]]:
    grouped: dict[int, list[Facts]] = {}
    for row in rows:
        grouped.setdefault(row["players"], []).append(row)
    return grouped


@dataclass(frozen=True)
class Section:
    """A part of the report with a heading; `name` is its anchor and its template's name."""

    name: str
    title: str
    facts: Callable[[Standings, Mapping[str, Named]], Facts | None]


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
    Section("reproduce", "How to reproduce", _always),
)
