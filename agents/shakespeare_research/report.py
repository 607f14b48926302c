"""A report on the questions of `shakespeare_research.questions`, as tables and as a page.

Players, which are agents, have answered questions such as what a move is worth. They were asked in
many boxes. A box is the file of the facts that are printed in a game's box, such as those of its
cards. The report says which answers hold in all boxes and which facts make them differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import polars as pl

from shakespeare_arena.intervals import student_interval, student_quantile
from shakespeare_env.checks.box_files import box_facts, facts_digest
from shakespeare_env.core import registry
from shakespeare_env.errors import DatasetError
from shakespeare_research.asking import DIGITS, read_answers
from shakespeare_research.facts import DrawnBoxes, explained_by_groups, explained_by_units, matrices
from shakespeare_research.questions import questions_of
from shakespeare_research.verdicts import (
    FEWEST_BOXES,
    HOLDS,
    Finding,
    PlayerFinding,
    findings,
    players_of,
)

_HEADINGS = [
    "item",
    "player",
    "bundled box",
    "mean of boxes",
    "spread / sampling",
    "same sign",
    "moved by",
    "verdict",
]
_MOST_FACTS = 12


class FindingsReport:
    """A report on the answers in a folder (see `asking.ask`).

    Attributes:
        game: The game's name.
        answers: The answers, with the box's name in `box`.
        drawn: The boxes in which players were asked, with the facts in which they differ.
        findings: The findings, in the order of the questions.

    Raises:
        DatasetError: As for `read_answers`; or the folder lacks a box or has answers from too few.
    """

    def __init__(self, folder: Path) -> None:
        rows = read_answers(folder).with_columns(box=pl.col("box_digest").str.head(DIGITS))
        games = rows["game"].unique().to_list()
        if len(games) > 1:
            raise DatasetError(
                f"{folder} has answers about {' and '.join(games)}; give each game its own folder"
            )
        self.game: str = games[0]
        self.answers = rows
        boxes = {name: folder / f"box-{name}.toml" for name in rows["box"].unique()}
        lost = [path.name for path in boxes.values() if not path.exists()]
        if lost:
            raise DatasetError(f"{folder} lacks {lost[0]}; copy all its files again")
        own = box_facts(registry.own_box(self.game))
        facts = {name: box_facts(path) for name, path in boxes.items()}
        self.drawn = DrawnBoxes(self.game, own, facts)
        if list(self.drawn.kinds.values()).count("all") < FEWEST_BOXES:
            raise DatasetError(
                f"{folder} has answers from too few boxes; ask in at least {FEWEST_BOXES} boxes in "
                "which all groups of facts are drawn (`shakespeare findings --sample`)"
            )
        self.findings = findings(rows, self.drawn.kinds, questions_of(self.game))

    def facts(self) -> pl.DataFrame:
        """Return how much of the findings' variance between boxes facts explain.

        There is a row for each group of facts, such as all costs, and for each unit. A unit is the
        facts of one group that are printed on one thing, such as a card. The columns are:

        - those of `ExplainedVariance`;
        - `by`: "group" in the row of a group, and "fact" in the row of a unit;
        - `low` and `high`: the ends of the share's 95 % interval by Student's t over boxes.
        """
        values, errors, names = matrices(self.answers)
        groups = explained_by_groups(values, errors, [self.drawn.kinds[name] for name in names])
        units = explained_by_units(values, errors, names, self.drawn)
        rows: list[dict[str, Any]] = []
        for by, parts in (("group", groups), ("fact", units)):
            for part in parts:
                low, high = student_interval(part.share, part.error, part.boxes)
                rows.append({"by": by, **vars(part), "low": low, "high": high})
        return pl.DataFrame(rows)

    def trained(self) -> str:
        """Return a sentence that says for which box each player was trained."""
        own = facts_digest(registry.folder(self.game), registry.own_box(self.game))
        names = {"": "no box", own: "the package's own box"}
        players = self.answers.select("player", "trained_for").unique().sort("player").rows()
        boxes = [f"{player} for {names.get(box, box[:DIGITS])}" for player, box in players]
        return f"Trained: {', '.join(boxes)}. In other boxes a network plays less well."

    def frame(self) -> pl.DataFrame:
        """Return all numbers, with a row per finding and player."""
        rows = []
        for finding in self.findings:
            for player, found in finding.by_player.items():
                rows.append(_row(finding, player, found))
        return pl.DataFrame(rows)

    def by_question(self) -> list[list[Finding]]:
        """Return findings grouped by number of seats and question, the largest table first."""
        ordered = sorted(self.findings, key=lambda finding: -finding.players)
        return [list(group) for _, group in groupby(ordered, attrgetter("players", "question"))]

    def page(self) -> str:
        """Return a page in Markdown: findings by table and question, and what facts explain."""
        parts = [self.trained()]
        last_players = 0
        for group in self.by_question():
            question = group[0].question
            players = group[0].players
            if players != last_players:
                parts.append(f"## {_seats(players)}")
                last_players = players
            meaning = question.meaning.format(item="…")
            parts += [
                f"### {question.name.replace('_', ' ').capitalize()}",
                f"In {question.unit}, {_as_played(group)}: {meaning[:1].lower()}{meaning[1:]}.",
                _findings_table(group),
            ]
        facts = self.facts()
        parts += [
            "## What facts carry",
            _facts_table("Group", facts.filter(by="group")),
            # What an owner may read off the components of a copy of the game.
            _facts_table("On a copy", facts.filter(by="fact")),
        ]
        return "\n\n".join(parts) + "\n"


def _as_played(findings: Sequence[Finding]) -> str:
    """Return whose play findings hold for, in words."""
    players = [f"`{player}`" for player in players_of(findings)]
    if len(players) == 1:
        return f"as played by {players[0]} alone, which may not hold for any other player"
    return f"as played by {', '.join(players[:-1])} and {players[-1]}"


def conclusion(finding: Finding) -> str:
    """Return a finding's verdict. If it holds, add its direction and the least share of boxes."""
    if finding.verdict != HOLDS:
        return finding.verdict
    players = list(finding.by_player.values())
    direction = players[0].direction
    if not direction:
        return f"{HOLDS}: makes no difference of note"
    least = min(player.over.sign_bound for player in players)
    verb = "is worth" if direction > 0 else "costs"
    return f"{HOLDS}: {verb} something in at least {100 * least:.0f} % of boxes"


def _findings_table(findings: Sequence[Finding]) -> str:
    rows = [_HEADINGS, ["---"] * len(_HEADINGS)]
    for finding in findings:
        verdict = conclusion(finding)  # in the first player's row only
        for player, found in finding.by_player.items():
            rows.append([finding.item, *_cells(player, found), verdict])
            verdict = ""
    return _table(rows)


def _facts_table(title: str, facts: pl.DataFrame) -> str:
    rows = [[title, "of the variance between boxes, %"], ["---", "---"]]
    for fact in facts.head(_MOST_FACTS).iter_rows(named=True):
        name = fact["name"] if fact["by"] == "group" else f"{fact['name']}: {fact['group']}"
        half = 100 * (fact["high"] - fact["share"])
        rows.append([name, f"{100 * fact['share']:.1f} ± {half:.1f}"])
    return _table(rows)


def _table(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cells(player: str, found: PlayerFinding) -> Iterator[str]:
    combined = found.over  # the estimates in all drawn boxes, combined
    yield f"`{player}`"
    if found.bundled is None:
        yield ""
    else:
        half = student_quantile(found.bundled.deals - 1) * found.bundled.error
        yield f"{found.bundled.value:+.2f} ± {half:.2f}"
    yield f"{combined.mean:+.2f} ({combined.low:+.2f} to {combined.high:+.2f})"
    yield f"{combined.between:.2f} / {combined.sampling:.2f}"
    least = 100 * combined.sign_bound
    yield f"{combined.same_sign} of {combined.boxes}, at least {least:.0f} %"
    yield ", ".join(f"{group} {100 * share:.0f} %" for group, share in found.moved_by.items())


def _row(finding: Finding, player: str, found: PlayerFinding) -> dict[str, Any]:
    return {
        "question": finding.question.name,
        "item": finding.item,
        "players": finding.players,
        "finding": finding.question.meaning.format(item=finding.item),
        "unit": finding.question.unit,
        "verdict": finding.verdict,
        "player": player,
        "direction": found.direction,
        "bundled": None if found.bundled is None else found.bundled.value,
        "bundled_error": None if found.bundled is None else found.bundled.error,
        **vars(found.over),
        "moved_by": list(found.moved_by),
        "moved_share": list(found.moved_by.values()),
    }


def _seats(players: int) -> str:
    words = {1: "One seat", 2: "Two seats", 3: "Three seats", 4: "Four seats"}
    return words.get(players, f"{players} seats")


def shipped_facts() -> pl.DataFrame:
    """Return `FindingsReport.facts` of the findings in docs/findings.md."""
    return pl.read_json(Path(__file__).with_name("shakespeare.json"))
