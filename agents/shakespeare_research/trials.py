"""Games of an agent with itself, positions sampled from them, and moves and gifts tried there.

One agent holds every seat. All trials of a position start from the same random state, so they draw
the same random numbers until one of them needs more draws than another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shakespeare_agents.making import make
from shakespeare_env.checks.values import is_integer, short_repr
from shakespeare_env.core.batch import Batch, victory_shares
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game, ObservationLayout
from shakespeare_env.core.rng import check_seed, streams
from shakespeare_env.play.agent import AgentLike, AnyAgent, decide
from shakespeare_env.play.generators import GameGenerators
from shakespeare_research.counterfactual import batch_of, play_to_end

OTHER = "another move"
"""The name that `try_moves` gives to the agent's choice among all other moves."""
_LOTS = np.uint64(0x107)
"""Mixed into a seed so that the lots, the random numbers that decide which positions are sampled,
are independent of other draws from this seed."""
_OTHER = np.uint64(0x07E2)
"""Mixed into a generator's state so that the choice of `OTHER` is independent of other draws."""


def self_play(
    game: str,
    *,
    players: int,
    games: int,
    seed: int = 0,
    player: AgentLike = "network",
    start: Mapping[str, str] | None = None,
    end: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """Play games, each a deal of its own, with one agent at all seats.

    Args:
        game: The game's name.
        players: The number of seats.
        games: The number of games.
        seed: Decides the deals and the agent's draws.
        player: The agent, as for `shakespeare_agents.make`.
        start: Facts to note at the start of games, as each seat sees them: column -> name of
            `field_values`.
        end: Facts to note at the end, likewise.

    Returns:
        One row per seat and game: `deal`, `players`, the columns of `final_results`, and the facts.
    """
    batch = Batch(game, games, players=players, seed=seed, autoreset=False)
    facts = _seat_facts(batch, start or {})
    generators = GameGenerators.of_games(seed, np.arange(games))
    play_to_end(batch, [make(player, batch.game)], generators)
    facts |= _seat_facts(batch, end or {})
    deals = pl.DataFrame(
        {"deal": np.arange(games).repeat(players), "players": np.full(games * players, players)}
    )
    return deals.hstack(final_results(batch)).with_columns(**facts)


def final_results(batch: Batch) -> pl.DataFrame:
    """Return how finished games of equally many seats ended, one row per seat and game.

    The columns are `seat`, `score`, `lead` over the best other seat (null with one seat) and `won`,
    the seat's share of the victory.
    """
    players = int(batch.players[0])
    scores = batch.final_scores[:, :players].astype(np.float64)
    ascending = np.sort(scores, axis=1)
    best = ascending[:, -1:]
    second = ascending[:, -2:-1]
    # Two seats that share the best score each lead by 0, as it is also the second best.
    others = np.where(scores == best, second, best)
    return pl.DataFrame(
        {
            "seat": np.tile(np.arange(players), batch.n),
            "score": scores.ravel(),
            "lead": (scores - others).ravel() if players > 1 else [None] * batch.n,
            "won": victory_shares(batch.final_winners)[:, :players].ravel(),
        },
        schema_overrides={"lead": pl.Float64},
    )


def _seat_facts(batch: Batch, facts: Mapping[str, str]) -> dict[str, NDArray[np.int16]]:
    """Return facts as each seat sees them, int16[games * seats] by column."""
    if not facts:
        return {}
    layout = batch.game.layout
    seats = range(int(batch.players[0]))
    observations = [batch.observe(np.full(batch.n, seat, np.int8)) for seat in seats]
    columns = {}
    for column, name in facts.items():
        by_seat = [field_values(layout, name, observed) for observed in observations]
        columns[column] = np.stack(by_seat, axis=1).ravel()
    return columns


def field_values(
    layout: ObservationLayout, name: str, observations: NDArray[np.int8]
) -> NDArray[np.int16]:
    """Return a fact from each observation, as a number.

    Args:
        layout: The observations' layout.
        name: The name of a field with one number, such as `seat0.pounds`; of a one-hot field, whose
            value is the place of its 1, counted from 1, or 0 if it has none; or of one of a field's
            named numbers, such as `seat0.metrics.stage_spaces`.
        observations: int8[n, D].

    Returns:
        The values, int16[n].

    Raises:
        KeyError: There is no such field or number.
        ValueError: The field has several numbers.
    """
    field_name = name
    part = ""
    if name not in layout.fields:
        field_name, _, part = name.rpartition(".")
    entry = layout[field_name]
    numbers = observations[:, entry.slice].astype(np.int16)
    if not part and entry.size == 1:
        return numbers[:, 0]
    if not part and entry.is_one_hot:
        return np.where(numbers.any(axis=1), numbers.argmax(axis=1) + 1, 0).astype(np.int16)

    named = ", ".join(entry.names) or "none has a name"
    if not part:
        raise ValueError(f"{name!r} has {entry.size} numbers; name one of them: {named}")
    if part not in entry.names:
        raise KeyError(f"{field_name!r} has no number {part!r}; its numbers: {named}")
    return numbers[:, entry.names.index(part)]


@dataclass(frozen=True)
class Sampling:
    """The settings that decide which positions of self-play are sampled, and how many."""

    most: int
    """The most positions, or the most for every move of `each_of`."""
    least: int = 2
    """The least number of legal moves of the kinds looked for."""
    each_of: Sequence[str] = ()
    """Blocks of the action table. Every move in them gets its own `most` positions, so that rare
    moves have as many as common ones."""
    where: pl.Expr | None = None
    """A condition on `deal`, `seat` and the facts of one row. None admits every position."""


@dataclass(frozen=True)
class Positions:
    """A sample of m positions of self-play, each at a seat's decision, in order of their deals."""

    frame: pl.DataFrame
    """One row per position: its number `position`, its game `deal`, the deciding `seat`, its
    `weight` (see `find_positions`), and the facts asked for."""
    games: Batch  # the games in these positions; copied before they are played on
    agent: AnyAgent  # the agent that played
    kinds: NDArray[np.int64]  # int64[k], ids of the moves looked for
    choices: NDArray[np.int64]  # int64[m], the agent's actions
    states: NDArray[np.uint64]  # uint64[m], the games' generators after these choices


class NoPositionError(ValueError):
    """Raised when no position of the kind looked for came up in the games played."""


def find_positions(
    game: str,
    blocks: Sequence[str],
    sampling: Sampling,
    *,
    players: int,
    games: int,
    seed: int = 0,
    player: AgentLike = "network",
    facts: Mapping[str, str] | None = None,
) -> Positions:
    """Play games with one agent at all seats, and sample positions with moves of some kinds.

    Positions are sampled uniformly, or by the moves of `Sampling.each_of`. In the latter case a
    position's `weight` is inversely proportional to its chance of being sampled. Otherwise all
    weights are 1.

    Args:
        game: The game's name.
        blocks: The blocks of the action table that hold the moves looked for.
        sampling: Which positions to sample, and how many.
        players: The number of seats.
        games: The number of games, each a deal of its own.
        seed: Decides the deals, the agent's draws and the sample.
        player: The agent, as for `shakespeare_agents.make`.
        facts: Facts to note as the deciding seat sees them: column -> name of `field_values`.

    Raises:
        NoPositionError: There is no such position.
        ValueError: There is no such block, or a number is out of range.
    """
    most = checked_count("most", sampling.most)
    least = checked_count("least", sampling.least)
    batch = Batch(game, games, players=players, seed=seed, autoreset=False)
    kinds = _action_ids(batch.game, blocks)
    # The moves that each have a sample of their own; without `each_of` there are none.
    each = _action_ids(batch.game, sampling.each_of) if sampling.each_of else kinds[:0]
    agent = make(player, batch.game)
    generators = GameGenerators.of_games(seed, np.arange(games))
    lots = GameGenerators(streams(int(check_seed(seed) ^ _LOTS), np.arange(games)))
    groups = max(len(each), 1)
    dtype = np.dtype(
        [
            ("record", batch.game.state),
            ("deal", np.int64),
            ("choice", np.int64),
            ("generator", np.uint64),
            ("lot", np.float64),
            # Whether each move of `each_of` is legal. Without `each_of` all are in one group.
            ("groups", np.bool_, (groups,)),
        ]
    )
    drawn = [np.zeros(0, dtype)]

    def draw(rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        fits = batch.mask[rows][:, kinds].sum(axis=1) >= least
        rows = rows[fits]
        actions = actions[fits]
        # Every position draws a lot, so that the lots do not depend on `where`.
        lot = lots[rows].random()
        if sampling.where is not None:
            wanted = _holds(sampling.where, _note(batch, rows, rows, facts))
            rows = rows[wanted]
            actions = actions[wanted]
            lot = lot[wanted]
        new = np.zeros(len(rows), dtype)
        new["record"] = batch.save(rows)
        new["deal"] = rows
        new["choice"] = actions
        new["generator"] = generators.states[rows]
        new["lot"] = lot
        new["groups"] = batch.mask[rows][:, each] if len(each) else True
        drawn.append(new)
        # Records are large, so those that can no longer be in the sample are dropped early.
        if sum(map(len, drawn)) > 2 * groups * (most + 1):
            every, cuts = _with_cuts(drawn, most)
            # Lots equal to a cut stay too, since the last call of `_with_cuts` needs them.
            drawn[:] = [every[every["lot"] <= cuts]]

    play_to_end(batch, [agent], generators, before_step=draw)
    every, cuts = _with_cuts(drawn, most)
    below = np.flatnonzero(every["lot"] < cuts)
    below = below[np.argsort(every["deal"][below], kind="stable")]
    kept = every[below]
    chances = cuts[below]  # lots are uniform from 0 to 1, so a cut is also the chance to be kept
    if not len(kept):
        raise NoPositionError(f"no such decision came up in {games} games; play more of them")

    positions = batch_of(batch.game, kept["record"])
    noted = _note(positions, np.arange(len(kept)), kept["deal"], facts)
    frame = noted.select(
        pl.Series("position", np.arange(len(kept))),
        "deal",
        "seat",
        pl.Series("weight", chances.max() / chances),
        *(facts or {}),
    )
    return Positions(
        frame=frame,
        games=positions,
        agent=agent,
        kinds=kinds,
        choices=kept["choice"],
        states=kept["generator"],
    )


def _holds(condition: pl.Expr, rows: pl.DataFrame) -> NDArray[np.bool_]:
    # A literal is one value, which `with_columns` repeats for all rows.
    wanted = rows.with_columns(wanted=condition)["wanted"]
    if wanted.dtype != pl.Boolean:
        raise ValueError(
            f"where={short_repr(str(condition))} gives {wanted.dtype}: give a condition that is "
            'true or false, such as pl.col("seat") == 0'
        )
    holds: NDArray[np.bool_] = wanted.fill_null(False).to_numpy()
    return holds


def _note(
    games: Batch, rows: NDArray[np.int64], deals: NDArray[np.int64], facts: Mapping[str, str] | None
) -> pl.DataFrame:
    """Return the deal, the deciding seat, and the facts as this seat sees them, of some rows."""
    observations = games.obs[rows]
    columns: dict[str, NDArray[Any]] = {"deal": deals, "seat": games.to_move[rows].astype(np.int64)}
    for column, name in (facts or {}).items():
        columns[column] = field_values(games.game.layout, name, observations)
    return pl.DataFrame(columns)


def _with_cuts(
    drawn: Sequence[NDArray[Any]], most: int
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return all decisions drawn, and for each its cut, which is the lot below which it is kept.

    The cut of a move is the lowest lot that is not among its `most` lowest. All moves of a
    decision share its lot, so the chance to keep the decision is the highest of their cuts (Cohen
    and Kaplan 2007, "Summarizing data using bottom-k sketches").
    """
    every = np.concatenate(drawn)
    if len(every) <= most:
        # Decisions of some group are all kept, as a cut of 1 is above every lot; others get 0.
        return every, np.asarray(every["groups"].any(axis=1), np.float64)
    lots = np.where(every["groups"], every["lot"][:, None], 1.0)
    cuts = np.partition(lots, most, axis=0)[most]
    highest: NDArray[np.float64] = np.where(every["groups"], cuts, 0.0).max(axis=1)
    return every, highest


def _action_ids(game: Game, blocks: Sequence[str]) -> NDArray[np.int64]:
    known = {block.name: block for block in game.actions.blocks}
    for name in blocks:
        if name not in known:
            raise ValueError(
                f"{game.name} has no block {name!r}; its blocks are {', '.join(known)}"
            )
    return np.concatenate(
        [game.actions.start[name] + np.arange(len(known[name].texts)) for name in blocks]
    )


def try_moves(positions: Positions, *, other: bool = False) -> pl.DataFrame:
    """Try every legal move of the kinds looked for, and play each game to its end.

    Args:
        positions: The positions.
        other: Whether to try `OTHER` as well, the agent's choice among all other moves. Positions
            without other moves are then dropped.

    Returns:
        One row per trial, by position: the columns of `positions.frame`; `move`, its text;
        `chosen`, whether the agent played it; and the decider's `score`, `lead` and `won` (see
        `final_results`).

    Raises:
        ValueError: No position has other moves.
    """
    mask = positions.games.mask
    places, columns = mask[:, positions.kinds].nonzero()
    actions = positions.kinds[columns]
    texts = np.array(positions.games.game.actions.texts, object)[actions]
    if other:
        rest = mask.copy()
        rest[:, positions.kinds] = False
        with_rest = np.flatnonzero(rest.any(axis=1))
        if not len(with_rest):
            raise ValueError("no position has moves of other kinds")
        generators = GameGenerators(positions.states[with_rest] ^ _OTHER)
        others = decide(positions.agent, positions.games, with_rest, generators, rest[with_rest])
        kept = np.isin(places, with_rest)
        texts = np.append(texts[kept], [OTHER] * len(with_rest))
        places = np.append(places[kept], with_rest)
        actions = np.append(actions[kept], others)
    moves = {"move": texts.tolist(), "chosen": positions.choices[places] == actions}
    ends = _ends(positions, positions.games.copies(places), places, actions)
    tried = positions.frame[places].hstack(pl.DataFrame(moves)).hstack(ends)
    return tried.sort("position", maintain_order=True)


def try_gift(positions: Positions, what: str, amount: int) -> pl.DataFrame:
    """Play every game to its end twice: without a gift, and with one to the seat that decides.

    If the game has a supply of the thing (such as a field `supply_tokens` for tokens), the gift
    comes from it, and positions whose supply has too little are dropped.

    Args:
        positions: The positions.
        what: A field of the game's record with a number for each seat, such as `pounds`.
        amount: How much of it to give, 0 or more.

    Returns:
        Two rows per position: the columns of `positions.frame`; `gift`, which is 0 or the amount;
        and the decider's `score`, `lead` and `won` (see `final_results`).

    Raises:
        ValueError: The record has no such field, or no room for so much.
    """
    game = positions.games.game
    if what not in (game.state.names or ()) or game.state[what].shape != (game.max_seats,):
        raise ValueError(f"{game.name} has no field {what!r} with a number for each seat")
    records = positions.games.save(slice(None))
    deciders = positions.games.to_move
    room = game.ranges[what].high - int(records[what][np.arange(len(records)), deciders].max())
    supply = f"supply_{what}" if f"supply_{what}" in (game.state.names or ()) else None
    if supply is not None:
        room = min(room, int(records[supply].max()))
    if not is_integer(amount) or not 0 <= amount <= room:
        raise ValueError(f"amount={amount!r}: give a whole number of {what} from 0 to {room}")
    suppliable = np.arange(len(records))
    if supply is not None:
        suppliable = np.flatnonzero(records[supply] >= amount)
    places = np.repeat(suppliable, 2)
    gifts = np.tile([0, amount], len(suppliable))
    records = records[places]
    given = gifts.astype(game.state[what].base)
    records[what][np.arange(len(records)), deciders[places]] += given
    if supply is not None:
        records[supply] -= given
    ends = _ends(positions, batch_of(game, records), places)
    return positions.frame[places].with_columns(gift=gifts).hstack(ends)


def _ends(
    positions: Positions,
    games: Batch,
    places: NDArray[np.int64],
    actions: NDArray[np.int64] | None = None,
) -> pl.DataFrame:
    play_to_end(games, [positions.agent], GameGenerators(positions.states[places]), actions)
    # `final_results` has a row per game and seat.
    decider_rows = np.arange(games.n) * games.players + positions.frame["seat"].to_numpy()[places]
    ends: pl.DataFrame = final_results(games)[decider_rows].drop("seat")
    return ends
