"""What answers amount to, as a table of numbers and as a page."""

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
from shakespeare_research.verdicts import FEWEST_BOXES, HOLDS, Finding, PlayerFinding, findings

_HEAD = "item|player|bundled box|mean of boxes|spread / sampling|same sign|moved by|verdict"
_MOST_FACTS = 12


class FindingsReport:
    """What a folder's answers (see `asking.ask`) amount to.

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
        boxes = {name: folder / f"box-{name}.toml" for name in rows["box"].unique()}
        if lost := [path.name for path in boxes.values() if not path.exists()]:
            raise DatasetError(f"{folder} lacks {lost[0]}; copy all its files again")
        own = box_facts(registry.own_box(self.game))
        facts = {name: box_facts(path) for name, path in boxes.items()}
        self.drawn = DrawnBoxes(self.game, own, facts)
        if [*self.drawn.kinds.values()].count("all") < FEWEST_BOXES:
            raise DatasetError(
                f"{folder} has answers from too few boxes; ask in {FEWEST_BOXES} or more in which "
                "all groups of facts are drawn (`shakespeare findings --sample`)"
            )
        self.findings = findings(rows, self.drawn.kinds, questions_of(self.game))

    def facts(self) -> pl.DataFrame:
        """What facts carry of the findings' variance between boxes: the columns of `Carried`.

        `by` says which rows are groups and which are what an owner reads off at once; `low` and
        `high` are the ends of the share's 95 % interval, Student's over boxes.
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
        """Which player was trained for which box, in a sentence."""
        own = facts_digest(registry.folder(self.game), registry.own_box(self.game))
        known = {"": "no box", own: "the package's own box"}
        players = self.answers.select("player", "trained_for").unique().sort("player").rows()
        boxes = [f"{who} for {known.get(box, box[:DIGITS])}" for who, box in players]
        return f"Trained: {', '.join(boxes)}. In other boxes a network plays less well."

    def frame(self) -> pl.DataFrame:
        """A row per finding and player, all numbers in it."""
        return pl.DataFrame(
            [_row(each, *pair) for each in self.findings for pair in each.by_player.items()]
        )

    def by_question(self) -> list[list[Finding]]:
        """The findings of a table's questions, the largest table first."""
        ordered = sorted(self.findings, key=lambda finding: -finding.players)
        return [[*group] for _, group in groupby(ordered, attrgetter("players", "question"))]

    def page(self) -> str:
        """Markdown: verdicts and numbers by table and question, and what facts carry."""
        parts, table = [self.trained()], 0
        for group in self.by_question():
            question, players = group[0].question, group[0].players
            if players != table:
                parts.append(f"## {_seats(players)}")
                table = players
            says = question.says.format(item="…")
            rows = [_HEAD.split("|"), ["---"] * 8]
            for each in group:
                verdict = concluded(each)  # once for all players
                for pair in each.by_player.items():
                    rows.append([each.item, *_cells(*pair), verdict])
                    verdict = ""
            parts += [
                f"### {question.name.replace('_', ' ').capitalize()}",
                f"In {question.unit}: {says[:1].lower()}{says[1:]}.",
                _table(rows),
            ]
        facts = self.facts()
        parts.append("## What facts carry")
        for by, head in (("group", "Group"), ("fact", "On a copy")):
            rows = [[head, "of the variance between boxes, %"], ["---", "---"]]
            for part in facts.filter(by=by).head(_MOST_FACTS).iter_rows(named=True):
                name = f"{part['name']}: {part['group']}" if by == "fact" else part["name"]
                half = 100 * (part["high"] - part["share"])
                rows.append([name, f"{100 * part['share']:.1f} ± {half:.1f}"])
            parts.append(_table(rows))
        return "\n\n".join(parts) + "\n"


def concluded(finding: Finding) -> str:
    """A finding's verdict, and of what holds the direction and the least share of boxes."""
    if finding.verdict != HOLDS:
        return finding.verdict
    seen = finding.by_player.values()
    direction = next(iter(seen)).direction
    if not direction:
        return f"{HOLDS}: makes no difference of note"
    least = min(player.over.sign_bound for player in seen)
    does = "is worth" if direction > 0 else "costs"
    return f"{HOLDS}: {does} something in at least {100 * least:.0f} % of boxes"


def _table(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cells(player: str, seen: PlayerFinding) -> Iterator[str]:
    over = seen.over
    yield f"`{player}`"
    if seen.bundled is None:
        yield ""
    else:
        estimate, error, deals = seen.bundled
        yield f"{estimate:+.2f} ± {student_quantile(deals - 1) * error:.2f}"
    yield f"{over.mean:+.2f} ({over.low:+.2f} to {over.high:+.2f})"
    yield f"{over.between:.2f} / {over.sampling:.2f}"
    yield f"{over.same_sign} of {over.boxes}, at least {100 * over.sign_bound:.0f} %"
    yield ", ".join(f"{group} {100 * share:.0f} %" for group, share in seen.moved_by.items())


def _row(finding: Finding, player: str, seen: PlayerFinding) -> dict[str, Any]:
    question, own = finding.question, seen.bundled or (None, None)
    return {
        "question": question.name,
        "item": finding.item,
        "players": finding.players,
        "finding": finding.question.says.format(item=finding.item),
        "unit": question.unit,
        "verdict": finding.verdict,
        "player": player,
        "direction": seen.direction,
        "bundled": own[0],
        "bundled_error": own[1],
        **vars(seen.over),
        "moved_by": [*seen.moved_by],
        "moved_share": [*seen.moved_by.values()],
    }


def _seats(players: int) -> str:
    words = {1: "One seat", 2: "Two seats", 3: "Three seats", 4: "Four seats"}
    return words.get(players, f"{players} seats")


def shipped_facts() -> pl.DataFrame:
    """What facts carry in the findings of docs/findings.md; see `FindingsReport.facts`."""
    return pl.read_json(Path(__file__).with_name("shakespeare.json"))
