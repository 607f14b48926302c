"""Why one move is better than another: sentences in the game's words, and rows of the score sheet.

Both come from possible games that were played on after each of the two moves. They agree with what
the decider knows, so they reveal no secrets, and a fact of all of them follows from the rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shakespeare_env.core.consequences import Consequence, Continuation
from shakespeare_env.core.game import Game
from shakespeare_env.core.position import Position
from shakespeare_env.core.seat_names import seat_placeholder, with_names
from shakespeare_table.analysis.evaluation import Difference, Floats, mean_and_margin

FORECAST_ROW = "the end, by forecast"
"""The name of the row with the points that a network forecasts instead of playing on."""
MOST_SENTENCES = 2
"""The most sentences about the difference of two moves."""
_CAUSE_SHARE = 0.5  # of what the greatest effect explains, so that a cause is told before it
_NOUN = re.compile(r"\{ours ([a-z ]+)\}")
_LEAST_GAIN = 0.05  # points; smaller gains of a row are added up


class Continuations(NamedTuple):
    """The n games that go on from a move.

    Attributes:
        games: The games.
        scores: The decider's final scores in them, float64[n].
    """

    games: Sequence[Continuation]
    scores: Floats


class RowGain(NamedTuple):
    """A row of the score sheet in which two moves differ.

    Attributes:
        row: The row's name, and whether the points come this day (or round) or later.
        gain: How many points more the better move brings there.
        margin: Half the width of the 95 % interval.
    """

    row: str
    gain: float
    margin: float


class Finding(NamedTuple):
    """A consequence in which two moves clearly differ, in favour of the better one.

    Attributes:
        topic: What the consequence is about.
        sentence: The sentence, with placeholders for `seat_names.with_names`.
        advice: What to do in later games; empty if nothing follows.
        explained: How many points of the difference go with it. A cause explains as much as its
            greatest effect.
    """

    topic: str
    sentence: str
    advice: str = ""
    explained: float = 0.0


class Reasons(NamedTuple):
    """Why one move is better than another.

    Attributes:
        rows: The rows of the score sheet in which they differ, the largest first.
        findings: At most two consequences of the moves, the one that explains most first.
    """

    rows: tuple[RowGain, ...] = ()
    findings: tuple[Finding, ...] = ()


NO_REASONS = Reasons()


def score_rows(
    position: Position,
    better: Continuations,
    worse: Continuations,
    total: float,
    *,
    is_forecast: bool,
) -> list[RowGain]:
    """Return the gains of a move by row of the score sheet.

    Args:
        position: The position of the decision.
        better: What follows the better move.
        worse: What follows the worse one.
        total: The difference of the final scores over more playouts than these. Each row is
            corrected by as much as it varies with the sum (a control variate).
        is_forecast: Whether playouts stop before the end. A row of its own then holds the points
            that a network forecasts.
    """
    by_move = []
    for continuations, scores in (better, worse):
        points = [_points_by_row(position, game) for game in continuations]
        if is_forecast:
            before = position.scores()[continuations[0].seat]
            for rows, score in zip(points, scores.tolist(), strict=True):
                rows[FORECAST_ROW] = score - before - sum(rows.values())
        by_move.append(points)
    names = sorted({name for points in by_move for rows in points for name in rows})
    differences = np.zeros((len(by_move[0]), len(names)))
    for game, (ours, theirs) in enumerate(zip(*by_move, strict=True)):
        differences[game] = [ours.get(name, 0) - theirs.get(name, 0) for name in names]
    sums = differences.sum(axis=1)
    gains = [_corrected(column, sums, total) for column in differences.T]
    # Without a correction, since the sums are all the same, rows share what is missing.
    missing = (total - sum(gain.mean for gain in gains)) / max(len(gains), 1)
    return [
        RowGain(name, gain.mean + missing, gain.margin)
        for name, gain in zip(names, gains, strict=True)
    ]


def _points_by_row(position: Position, game: Continuation) -> dict[str, float]:
    """Return the decider's points in a game by row, those of this day or round and later ones."""
    key = position.game.chapter_field
    rows: dict[str, float] = {}
    for move in game.moves:
        for event in move.events:
            if event.seat == game.seat and event.points:
                row = event.source
                if key is not None and key not in row:
                    is_now = move.record[key] == game.start[key]
                    row += f" (this {key})" if is_now else f" (later {key}s)"
                rows[row] = rows.get(row, 0) + event.points
    return rows


class _Estimate(NamedTuple):
    """The mean of a difference, and half the width of its 95 % interval."""

    mean: float
    margin: float


def _corrected(
    differences: Floats, sums: Floats, total: float, unseen: float = 0.0, tests: int = 1
) -> _Estimate:
    """Estimate a difference that varies with another one, whose mean is known more exactly.

    Args:
        differences: float64[n], by playout.
        sums: float64[n], the differences of the final scores.
        total: The mean of these over more playouts. It corrects the mean as far as both vary
            together (a control variate).
        unseen: A deviation that might have been seen but was not, see `mean_and_margin`.
        tests: The number of differences for whose intervals the confidence holds together.
    """
    deviations = sums - sums.mean()
    variance = float((deviations**2).mean())
    share = float((differences * deviations).mean()) / variance if variance > 0 else 0.0
    missing = total - float(sums.mean())
    _, margin = mean_and_margin(differences - share * sums, unseen, tests)
    return _Estimate(float(differences.mean()) + share * missing, margin)


def findings(
    position: Position, better: Continuations, worse: Continuations, total: float
) -> tuple[Finding, ...]:
    """Return at most two consequences in which a better move differs from a worse one.

    A finding needs a clear difference, by its 95 % interval, in favour of the better move. At most
    one is a cause. It comes first if one of its effects is clear and explains at least half as much
    as the greatest effect of all. Effects follow, those that explain most first, except those with
    the very numbers of the cause.

    Args:
        position: The position of the decision.
        better: What follows the better move.
        worse: What follows the worse one.
        total: The difference of the final scores over more playouts than these.
    """
    causes: list[tuple[Consequence, Finding]] = []
    effects: list[Finding] = []
    shown: dict[str, tuple[str, str]] = {}  # the numbers of sentences
    for consequence in position.game.presentation.consequences:
        found = _finding(position, consequence, better, worse, total)
        if found is None:
            continue
        finding, shown[finding.sentence] = found
        if consequence.effects:
            causes.append((consequence, finding))
        else:
            effects.append(finding)
    if not effects:
        return ()
    effects.sort(key=lambda effect: -effect.explained)
    explaining = [
        finding._replace(explained=effect.explained)
        for consequence, finding in causes
        for effect in effects
        if effect.topic in consequence.effects
    ]
    told: dict[str, Finding] = {}
    cause = max(explaining, key=lambda finding: finding.explained, default=None)
    if cause is not None and cause.explained >= _CAUSE_SHARE * effects[0].explained:
        told[cause.topic] = cause
        # An effect with the numbers of its cause would say the same once more.
        effects = [each for each in effects if shown[each.sentence] != shown[cause.sentence]]
    for effect in effects:
        told.setdefault(effect.topic, effect)
    return tuple(told.values())[:MOST_SENTENCES]


def _finding(
    position: Position,
    consequence: Consequence,
    better: Continuations,
    worse: Continuations,
    total: float,
) -> tuple[Finding, tuple[str, str]] | None:
    """Return how a consequence differs, with the two numbers that its sentence shows.

    It is None if the difference is not clear, or does not favour the better move.
    """
    ours = _numbers(consequence, better.games)
    theirs = _numbers(consequence, worse.games)
    if ours is None or theirs is None:
        return None
    scores = better.scores - worse.scores
    possible = float(np.ptp([ours, theirs]))
    # The confidence holds together for all causes, and for all effects.
    tests = sum(
        bool(other.effects) == bool(consequence.effects)
        for other in position.game.presentation.consequences
    )
    counts_games = "{games}" in consequence.words
    if counts_games:  # the sentence shows the sums as they are
        lead = _Estimate(*mean_and_margin(ours - theirs, possible, tests))
    else:
        lead = _corrected(ours - theirs, scores, total, possible, tests)
    direction = 1 if consequence.is_good else -1
    if abs(lead.mean) <= lead.margin or lead.mean * direction < 0:
        return None
    is_certain = not np.ptp(ours) and not np.ptp(theirs)
    if "{ours" not in consequence.words and not is_certain:
        return None
    explained = _explained(consequence, (better, worse), (ours, theirs), lead.mean)
    if explained < 0 and not consequence.effects:
        return None
    # What the correction adds is shared by both means, unless one of them is certain.
    missing = lead.mean - float((ours - theirs).mean())
    shares = [bool(np.ptp(ours)), bool(np.ptp(theirs))]
    added = missing / max(sum(shares), 1)
    means = [float(ours.mean()) + shares[0] * added, float(theirs.mean()) - shares[1] * added]
    shown = [_amount(mean, is_certain=not share) for mean, share in zip(means, shares, strict=True)]
    if counts_games:
        shown = [f"{values.sum():.0f}" for values in (ours, theirs)]
    if shown[0] == shown[1]:
        return None
    words = _in_words(position, consequence, better.games[0].seat, shown[0], shown[1], len(ours))
    return Finding(consequence.topic, words, consequence.advice, explained), (shown[0], shown[1])


def _explained(
    consequence: Consequence,
    after: tuple[Continuations, Continuations],
    numbers: tuple[Floats, Floats],
    lead: float,
) -> float:
    """Return how many points of the difference between two moves go with a consequence.

    They stand in its row of the score sheet, or else are estimated from games after the same move.

    Args:
        consequence: The consequence.
        after: The games after the better move, and those after the worse one.
        numbers: The consequence's number in these games.
        lead: By how much it is larger after the better move.
    """
    if consequence.source:
        better, worse = after
        gained = [
            sum(ours.points(consequence.source)) - sum(theirs.points(consequence.source))
            for ours, theirs in zip(better.games, worse.games, strict=True)
        ]
        return float(np.mean(gained))
    return _slope(numbers, [games.scores for games in after]) * lead


def _numbers(consequence: Consequence, games: Sequence[Continuation]) -> Floats | None:
    """Return a consequence's number in each game, float64[n]; None if it is not known in all."""
    known = [number for number in map(consequence.number, games) if number is not None]
    return np.array(known, np.float64) if len(known) == len(games) else None


def _slope(numbers: Sequence[Floats], scores: Sequence[Floats]) -> float:
    """Return how many points go with one unit of a number, in games after the same move.

    Args:
        numbers: float64[n] for each move.
        scores: The final scores, as `numbers`.
    """
    spread = np.concatenate([values - values.mean() for values in numbers])
    points = np.concatenate([values - values.mean() for values in scores])
    variance = float((spread**2).mean())
    return float((spread * points).mean()) / variance if variance > 0 else 0.0


def _amount(mean: float, *, is_certain: bool) -> str:
    """Return a mean with one decimal, or with none if it is the same in all games."""
    return f"{mean:.0f}" if is_certain else f"{mean:.1f}".replace("-", "−")


def _in_words(
    position: Position, consequence: Consequence, seat: int, ours: str, theirs: str, games: int
) -> str:
    """Return a consequence's sentence with its numbers, and with placeholders for names."""
    key = position.game.presentation.chapter
    noun = _NOUN.search(consequence.words)
    counted = ours
    if noun is not None:
        counted = f"{'no' if ours == '0' else ours} {noun[1]}{'s' * (ours != '1')}"
        theirs = "none" if theirs == "0" else theirs
    parts = {
        "{ours}": counted,
        "{theirs}": theirs,
        "{games}": str(games),
        "{chapter}": f"{key} {position.seen_by(seat)[key]}",
        "{seat}": seat_placeholder(seat),
        "{seat's}": f"{{seat {seat}'s}}",
    }
    text = _NOUN.sub("{ours}", consequence.words)
    for placeholder, part in parts.items():
        text = text.replace(placeholder, part)
    return text


def reasons_in_words(
    game: Game, reasons: Reasons, difference: Difference, names: Sequence[str] = ()
) -> str:
    """Return why a move is better than another: its sentences, or its rows if it has none.

    Args:
        game: The game.
        reasons: The reasons.
        difference: How much better the move is.
        names: The players' names by seat; without names, seats stay numbers.
    """
    if not reasons.findings:
        return rows_in_words(game, reasons.rows, difference)
    named = [with_names(finding.sentence, names) for finding in reasons.findings]
    return ". ".join(sentence[0].upper() + sentence[1:] for sentence in named)


def figures_in_words(game: Game, reasons: Reasons, difference: Difference) -> str:
    """Return the rows of the score sheet in words, if `reasons_in_words` does not say them."""
    if not reasons.findings or not clear_rows(reasons.rows):
        return ""
    return rows_in_words(game, reasons.rows, difference)


def rows_in_words(
    game: Game, rows: Sequence[RowGain], difference: Difference, most: int = 4
) -> str:
    """Return how many points more or less a better move brings, row by row, and in all.

    If fewer points are better, it says how much better or worse the rows are. Rows that are small
    or uncertain are added up, so that all numbers add up to the sum.
    """
    if not rows:
        return ""
    clear = clear_rows(rows)
    total = sum(row.gain for row in rows)
    wins_more = not difference.in_points and total <= 0
    if not clear:
        return "No single reason stands out" + (", but it wins more often" if wins_more else "")
    shown = clear[:most]
    rest = sum(row.gain for row in rows if row not in shown)
    parts = [f"{_more_or_less(game, row.gain)} at {row.row}" for row in shown]
    if abs(rest) >= _LEAST_GAIN:
        parts.append(f"{_more_or_less(game, rest)} elsewhere")
    if len(parts) > 1:
        parts.append(f"{_more_or_less(game, total)} in all")
    if wins_more:
        parts.append("but it wins more often")
    return ", ".join(parts)


def clear_rows(rows: Sequence[RowGain]) -> list[RowGain]:
    """Return the rows that are neither small nor uncertain."""
    return [row for row in rows if abs(row.gain) > max(row.margin, _LEAST_GAIN)]


def _more_or_less(game: Game, gain: float) -> str:
    if game.presentation.score_sign < 0:  # of points such as lengths, the fewest are best
        return f"{abs(gain):.1f} points {'worse' if gain < 0 else 'better'}"
    return f"{abs(gain):.1f} points {'less' if gain < 0 else 'more'}"
