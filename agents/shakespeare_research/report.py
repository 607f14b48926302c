"""Findings as a table of numbers, as a page, as sentences and as pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shakespeare_env.checks.box_files import box_facts, facts_digest
from shakespeare_env.core import registry
from shakespeare_env.errors import DatasetError
from shakespeare_research.asking import DIGITS, read_answers, read_boxes
from shakespeare_research.facts import DrawnBoxes, carried_by_groups, carried_by_units, matrices
from shakespeare_research.questions import questions_of
from shakespeare_research.verdicts import (
    BY_PLAYER,
    FEWEST_BOXES,
    HOLDS,
    OPEN,
    Finding,
    Seen,
    findings,
)

if TYPE_CHECKING:
    from shakespeare_arena.plot_style import Picture

_HEAD = [
    *("player", "bundled box", "mean of boxes", "spread / sampling", "range"),
    *("same sign", "moved by"),
]
_MOST_FACTS = 12
_WIDTH, _MARGIN, _ROW = 820, 150, 34
_APART = 0.26
"""Between the players of a row."""


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
        rows = read_answers(folder).with_columns(box=pl.col("box_digest").str.head(DIGITS))
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
        if list(self.kinds.values()).count("all") < FEWEST_BOXES:
            raise DatasetError(
                f"{folder} has answers from too few boxes; ask in {FEWEST_BOXES} or more in which "
                "all groups of facts are drawn (`shakespeare boxes sample`)"
            )
        questions = {one.name: one for one in questions_of(self.game)}
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

    def trained(self) -> str:
        """Which player was trained for which box, in a sentence."""
        own = facts_digest(registry.folder(self.game), registry.own_box(self.game))
        known = {"": "no box", own: "the package's own box"}
        players = self.answers.select("player", "trained_for").unique().sort("player").rows()
        said = [f"{who} for {known.get(box, box[:DIGITS])}" for who, box in players]
        return f"Trained: {', '.join(said)}. In other boxes a network plays less well."

    def frame(self) -> pl.DataFrame:
        """A row per finding and player, all numbers in it."""
        return pl.DataFrame(
            [_row(one, *pair) for one in self.findings for pair in one.by_player.items()]
        )

    def page(self) -> str:
        """Markdown: numbers by table and question, a sentence per finding, and what facts carry."""
        parts = [self.trained()]
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
    return pl.read_json(Path(__file__).with_name("shakespeare.json"))


def plot_question(report: Report, question: str, players: int) -> Picture:
    """All findings of a question at a table, a row each, in the colours of the players.

    Raises:
        ValueError: there are none.
    """
    from shakespeare_arena import plot_style as style  # sentences do without Matplotlib

    found = [
        one for one in report.findings if (one.question.name, one.players) == (question, players)
    ]
    if not found:
        raise ValueError(f"no finding about {question!r} at {players} seats")
    found.sort(key=lambda one: -max(seen.over.mean for seen in one.by_player.values()))
    who = list(dict.fromkeys(player for one in found for player in one.by_player))
    figure = style.picture(
        _WIDTH, _MARGIN + _ROW * len(found) * (1 + len(who)) // 2, layout="constrained"
    )
    axes = figure.add_subplot()
    title = f"{question.replace('_', ' ').capitalize()}, {players} seats"
    style.prepare(axes, title, found[0].question.unit)
    axes.axvline(0, color=style.GREY, linestyle="--", linewidth=1.1, zorder=1)
    for number, player in enumerate(who):
        shift = _APART * (number - (len(who) - 1) / 2)
        rows = [(row, one) for row, one in enumerate(found) if player in one.by_player]
        for row, one in rows:
            dots = _drawn(report, one, player)
            colour = style.bars(number)["color"]
            heights = np.full(len(dots), row + shift)
            axes.scatter(dots, heights, s=16, color=colour, alpha=0.35, linewidths=0, zorder=2)
        seen = [(row + shift, one.by_player[player]) for row, one in rows]
        axes.errorbar(
            [one.over.mean for _, one in seen],
            [height for height, _ in seen],
            xerr=np.array([[o.over.mean - o.low, o.high - o.over.mean] for _, o in seen]).T,
            linestyle="none",
            label=player,
            zorder=3,
            **style.bars(number),
        )
        own = [(one.bundled[0], height) for height, one in seen if one.bundled]
        axes.scatter(
            [value for value, _ in own],
            [height for _, height in own],
            marker="*",
            s=95,
            color=style.INK,
            zorder=4,
            label="bundled box" if number == len(who) - 1 else None,
        )
    labels = [f"{one.item}\n{one.verdict}" for one in found]
    axes.set_yticks(range(len(found)), labels, fontsize=9)
    axes.set_ylim(len(found) - 0.4, -0.6)
    figure.legend(loc="outside right upper", frameon=False, fontsize=9, labelcolor=style.INK)
    notes = "dots: boxes; bars: simultaneous 95 % intervals of the mean over boxes"
    figure.supxlabel(notes, x=0.99, ha="right", fontsize=8, color=style.GREY)
    return figure


def _drawn(report: Report, finding: Finding, player: str) -> pl.Series:
    """The estimates in boxes in which all was drawn."""
    meant = {"question": finding.question.name, "item": finding.item, "player": player}
    every = [name for name, kind in report.kinds.items() if kind == "all"]
    return report.answers.filter(
        *(pl.col(name) == value for name, value in meant.items()),
        pl.col("players") == finding.players,
        pl.col("box").is_in(every),
    )["estimate"]
