"""Findings as a table of numbers, as a page, and as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import polars as pl

from shakespeare_agents.findings.asking import read_answers, read_boxes
from shakespeare_agents.findings.facts import (
    DrawnBoxes,
    carried_by_groups,
    carried_by_units,
    matrices,
)
from shakespeare_agents.findings.questions import questions_of
from shakespeare_agents.findings.verdicts import BY_PLAYER, HOLDS, OPEN, Finding, Seen, findings
from shakespeare_agents.findings.worth import measured
from shakespeare_env.checks.box_files import box_facts
from shakespeare_env.core import registry
from shakespeare_env.errors import DatasetError

_HEAD = [
    *("player", "bundled box", "mean of boxes", "spread / sampling", "range"),
    *("same sign", "moved by"),
]
_FEWEST_DRAWN, _MOST_FACTS = 4, 12


class Report:
    """What a folder's answers amount to.

    Args:
        folder: See `asking.ask`.

    Attributes:
        game: The game's name.
        answers: See `read_answers`; the column `box` names boxes.
        kinds: See `DrawnBoxes.kind`, by box.
        findings: The findings.

    Raises:
        DatasetError: see `read_answers`; or the folder lacks a box, or has answers from too few.
    """

    def __init__(self, folder: Path) -> None:
        rows = read_answers(folder).with_columns(box=pl.col("box_digest").str.head(16))
        games = rows["game"].unique().to_list()
        if len(games) > 1:
            raise DatasetError(f"{folder} has answers about {' and '.join(games)}; part them")
        self.game: str = games[0]
        self.answers = rows
        asked = set(rows["box"].to_list())
        boxes = {name: box for name, box in read_boxes(folder).items() if name in asked}
        if lost := asked - set(boxes):
            raise DatasetError(f"{folder} lacks box-{min(lost)}.toml; copy all its files again")
        self.drawn = DrawnBoxes(self.game, box_facts(registry.own_box(self.game)), boxes)
        self.kinds = self.drawn.kinds()
        if list(self.kinds.values()).count("all") < _FEWEST_DRAWN:
            raise DatasetError(
                f"{folder} has answers from too few boxes; ask in {_FEWEST_DRAWN} or more in which "
                "all groups of facts are drawn (`shakespeare boxes sample`)"
            )
        questions = {one.name: one for one in questions_of(self.game)}
        if other := {*rows["question"]} - {*questions}:
            raise DatasetError(
                f"{folder}: {min(other)!r} is no question; use the version that asked"
            )
        self.findings = findings(rows, self.kinds, questions)

    def facts(self) -> pl.DataFrame:
        """What facts carry of the findings' variance between boxes: the columns of `Carried`.

        `by` says which rows are groups and which are what an owner reads off at once.
        """
        values, errors, names = matrices(self.answers)
        groups = carried_by_groups(values, errors, [self.kinds[name] for name in names])
        units = carried_by_units(values, errors, names, self.drawn)
        rows = [("group", one) for one in groups] + [("fact", one) for one in units]
        return pl.DataFrame([{"by": by, **vars(one)} for by, one in rows])

    def frame(self) -> pl.DataFrame:
        """A row per finding and player, all numbers in it."""
        return pl.DataFrame(
            [_row(one, *pair) for one in self.findings for pair in one.by_player.items()]
        )

    def page(self) -> str:
        """Markdown: numbers by table and question, a sentence per finding, and what facts carry."""
        parts = []
        for players, of_table in groupby(
            sorted(self.findings, key=lambda one: -one.players), lambda one: one.players
        ):
            parts.append(f"## {_seats(players)}")
            for question, group in groupby(of_table, lambda one: one.question):
                parts += [
                    f"### {question.name.replace('_', ' ').capitalize()}",
                    *_section([*group]),
                ]
        parts += ["## What facts carry", _carried(self.facts(), "group", "Group")]
        parts += [_carried(self.facts(), "fact", "On a copy")]
        return "\n\n".join(parts) + "\n"


def sentence(one: Finding) -> str:
    """What is concluded from a finding, in a sentence."""
    seats = _seats(one.players).lower()
    if one.verdict == OPEN:
        return f"Open at {seats}: {_lower(one.label)} ({_by_player(one)})."
    if one.verdict == HOLDS:
        direction = next(iter(one.by_player.values())).direction
        found = {1: "is worth something", -1: "costs something", 0: "makes no difference of note"}
        least = min(seen.over.sign_bound for seen in one.by_player.values())
        share = f" in at least {100 * least:.0f} % of boxes" if direction else ""
        holds = f"{_lower(one.label)}, {found[direction or 0]}{share}"
        return f"Holds at {seats}: {holds} ({_by_player(one)})."
    on = f", on {_listed(one.facts)}" if one.facts and one.verdict != BY_PLAYER else ""
    return f"{one.verdict.capitalize()}{on} at {seats}: {_lower(one.label)} ({_by_player(one)})."


def _section(found: Sequence[Finding]) -> Iterator[str]:
    lines = [["item", *_HEAD], ["---"] * (1 + len(_HEAD))]
    for one in found:
        lines += [[one.item, *_cells(player, seen)] for player, seen in one.by_player.items()]
    yield f"In {found[0].question.unit}: {_lower(found[0].question.label('…'))}."
    yield "\n".join(f"| {' | '.join(line)} |" for line in lines)
    yield "\n".join(f"- {sentence(one)}" for one in found)


def _carried(facts: pl.DataFrame, by: str, head: str) -> str:
    lines = [f"| {head} | of the variance between boxes, % |", "| --- | --- |"]
    for one in facts.filter(pl.col("by") == by).head(_MOST_FACTS).iter_rows(named=True):
        name = f"{one['name']}: {one['group']}" if by == "fact" else one["name"]
        lines.append(f"| {name} | {100 * one['share']:.1f} ± {196 * one['error']:.1f} |")
    return "\n".join(lines)


def _cells(player: str, seen: Seen) -> Iterator[str]:
    over = seen.over
    yield f"`{player}`"
    yield "" if seen.bundled is None else f"{seen.bundled[0]:+.2f} ± {1.96 * seen.bundled[1]:.2f}"
    yield f"{over.mean:+.2f} ({seen.low:+.2f} to {seen.high:+.2f})"
    yield f"{over.between:.2f} / {over.sampling:.2f}"
    yield f"{over.least:+.2f} to {over.most:+.2f}"
    yield f"{over.same_sign} of {over.boxes}, at least {100 * over.sign_bound:.0f} %"
    yield ", ".join(f"{group} {100 * share:.0f} %" for group, share in seen.moved_by)


def _row(one: Finding, player: str, seen: Seen) -> dict[str, Any]:
    own, over = seen.bundled or (None, None), seen.over
    return {
        "question": one.question.name,
        "item": one.item,
        "players": one.players,
        "finding": one.label,
        "unit": one.question.unit,
        "verdict": one.verdict,
        "player": player,
        "direction": seen.direction,
        "bundled": own[0],
        "bundled_error": own[1],
        **vars(over),
        "low": seen.low,
        "high": seen.high,
        "sign_bound": over.sign_bound,
        "moved_by": [group for group, _ in seen.moved_by],
        "moved_share": [share for _, share in seen.moved_by],
    }


def _by_player(one: Finding) -> str:
    return ", ".join(f"{player} {seen.over.mean:+.2f}" for player, seen in one.by_player.items())


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:]


def _seats(players: int) -> str:
    return {1: "One seat", 2: "Two seats", 3: "Three seats", 4: "Four seats"}.get(
        players, f"{players} seats"
    )


def shipped_facts() -> pl.DataFrame:
    """What facts carry in the findings of docs/findings.md; see `Report.facts`."""
    return pl.read_json(measured("shakespeare"))
