"""Positions sampled from games of agents with themselves, and moves and gifts tried there.

All trials of a position start from the same random state, so they draw the same random numbers
until one of them needs more draws than another.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shakespeare_env.checks.values import is_integer, short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game, Records
from shakespeare_env.core.move_history import DECISION
from shakespeare_env.core.rng import check_seed, streams
from shakespeare_env.datasets.fields import field_column
from shakespeare_env.play.agent import AgentLike, AnyAgent, decide, history_length
from shakespeare_env.play.generators import GameGenerators
from shakespeare_research.counterfactual import batch_of, play_to_end
from shakespeare_research.self_play import final_results, named_agents

OTHER = "another move"
"""The name that `try_moves` gives to the agent's choice among all other moves."""
_LOTS = np.uint64(0x107)
"""Mixed into a seed so that the lots, the random numbers that decide which positions are sampled,
are independent of other draws from this seed."""
_SAME = np.uint64(0)
"""Mixed into a generator's state, it changes nothing."""
_OTHER = np.uint64(0x07E2)
"""Mixed into a generator's state so that the choice of `OTHER` is independent of other draws."""


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
    """A condition on `deal`, `seat` and fields of the deciding seat's observation, such as
    `pl.col("day") == 6` (see `fields.field_column`). None admits every position."""


@dataclass(frozen=True)
class Positions:
    """Samples of positions of self-play, m in all, each at a seat's decision.

    They are in order of their agents and deals. What is found in them holds for these agents, for
    this number of seats and for the box in force.
    """

    frame: pl.DataFrame
    """One row per position: its number `position`; `agent`, the agent at all seats of its game; its
    game `deal`; the deciding `seat`; its `weight` (see `find_positions`); and the fields noted."""
    games: Batch  # the games in these positions; copied before they are played on
    agents: Sequence[AnyAgent]  # the agents that played
    agent_of: NDArray[np.int64]  # int64[m], the agent of each position, an index of `agents`
    kinds: NDArray[np.int64]  # int64[k], ids of the moves looked for
    choices: NDArray[np.int64]  # int64[m], the agent's actions
    states: NDArray[np.uint64]  # uint64[m], the games' generators after these choices
    memories: NDArray[np.object_]  # object[m], the agents' memories then: a dict by seat, or None

    def generators(self, places: NDArray[np.int64], mixed_in: np.uint64 = _SAME) -> GameGenerators:
        """Return generators, with memories, for playing on from k positions, which may repeat.

        Args:
            places: The positions, int64[k].
            mixed_in: Bits mixed into the states, so that other numbers are drawn.
        """
        memories = {}
        for number, place in enumerate(places.tolist()):
            for seat, memory in (self.memories[place] or {}).items():
                memories[number, seat] = deepcopy(memory)
        return GameGenerators(self.states[places] ^ mixed_in, memories=memories)

    def __str__(self) -> str:
        lines = []
        for agent, rows in self.frame.group_by("agent", maintain_order=True):
            deals = rows["deal"].n_unique()
            lines.append(f"{len(rows)} positions of {deals} games with {agent[0]} at every seat")
        game = self.games.game
        own = registry.own_box(game.name)
        box = "the package's own box" if game.box == own else f"the box {game.box}"
        lines.append(f"{game.name}, {self.games.players[0]} seats, {box}")
        return "\n".join(lines)


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
    agents: Sequence[AgentLike] = (),
    columns: Sequence[str] = (),
) -> Positions:
    """Play games with one agent at all seats, and sample positions with moves of some kinds.

    Positions are sampled uniformly, or by the moves of `Sampling.each_of`. In the latter case a
    position's `weight` is inversely proportional to its chance of being sampled. Otherwise all
    weights are 1.

    Args:
        game: The game's name.
        blocks: The blocks of the action table that hold the moves looked for.
        sampling: Which positions of each agent to sample, and how many.
        players: The number of seats.
        games: The number of games of each agent. All agents play the same deals.
        seed: Decides the deals, the agents' draws and the samples.
        agents: The agents, as for `shakespeare_agents.make`; by default `default_agents`.
        columns: Fields to note as the deciding seat sees them (see `fields.field_column`), besides
            those of `Sampling.where`.

    Raises:
        NoPositionError: An agent's games have no such position.
        ValueError: There is no such block or field, or a number is out of range.
    """
    checked_count("most", sampling.most)
    checked_count("least", sampling.least)
    loaded = registry.game(game)
    kinds = _action_ids(loaded, blocks)
    columns = list(dict.fromkeys([*columns, *_fields_of(sampling.where)]))
    agents_by_name = named_agents(agents, loaded)
    most_observed = max(map(history_length, agents_by_name.values()))
    samples = []
    for name, agent in agents_by_name.items():
        batch = Batch(game, games, players=players, seed=seed, autoreset=False)
        batch.keep_history(most_observed)
        sample = _sampled(batch, agent, kinds, sampling, seed, columns)
        if not len(sample):
            raise NoPositionError(
                f"no such decision came up in {games} games of {name}; play more of them"
            )
        samples.append(sample)

    sizes = [len(sample) for sample in samples]
    entries = np.concatenate(samples)
    positions = batch_of(loaded, entries["record"], entries["decisions"])
    noted = _note(positions, np.arange(len(entries)), entries["deal"], columns)
    frame = noted.select(
        pl.Series("position", np.arange(len(entries))),
        pl.Series("agent", np.repeat(list(agents_by_name), sizes)),
        "deal",
        "seat",
        pl.Series("weight", entries["weight"]),
        *columns,
    )
    return Positions(
        frame=frame,
        games=positions,
        agents=list(agents_by_name.values()),
        agent_of=np.repeat(np.arange(len(sizes)), sizes),
        kinds=kinds,
        choices=entries["choice"],
        states=entries["generator"],
        memories=entries["memory"],
    )


def _fields_of(condition: pl.Expr | None) -> list[str]:
    """Return the fields of the observation that a condition reads."""
    names = [] if condition is None else condition.meta.root_names()
    return [name for name in names if name not in ("deal", "seat")]


def _sampled(
    batch: Batch,
    agent: AnyAgent,
    kinds: NDArray[np.int64],
    sampling: Sampling,
    seed: int,
    columns: Sequence[str],
) -> NDArray[Any]:
    """Play a batch to its end with one agent, and return a sample of positions by deal.

    Each entry has a position's `record`, the last `decisions` before it, its `deal`, the agent's
    `choice`, the state of its `generator` and the seats' `memory` after the choice, and its
    `weight`.
    """
    # The moves that each have a sample of their own; without `each_of` there are none.
    each = _action_ids(batch.game, sampling.each_of) if sampling.each_of else kinds[:0]
    numbers = np.arange(batch.n)
    generators = GameGenerators.of_games(seed, numbers)
    lots = GameGenerators(streams(int(check_seed(seed) ^ _LOTS), numbers))
    groups = max(len(each), 1)
    dtype = np.dtype(
        [
            ("record", batch.game.state),
            ("decisions", DECISION, (batch.history_length,)),
            ("deal", np.int64),
            ("choice", np.int64),
            ("generator", np.uint64),
            ("memory", np.object_),
            ("lot", np.float64),
            ("weight", np.float64),
            # Whether each move of `each_of` is legal. Without `each_of` all are in one group.
            ("groups", np.bool_, (groups,)),
        ]
    )
    drawn = [np.zeros(0, dtype)]

    def draw(rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        fits = batch.mask[rows][:, kinds].sum(axis=1) >= sampling.least
        rows = rows[fits]
        actions = actions[fits]
        # Every position draws a lot, so that the lots do not depend on `where`.
        lot = lots[rows].random()
        if sampling.where is not None:
            wanted = _holds(sampling.where, _note(batch, rows, rows, columns))
            rows = rows[wanted]
            actions = actions[wanted]
            lot = lot[wanted]
        new = np.zeros(len(rows), dtype)
        new["record"] = batch.save(rows)
        new["decisions"] = batch.decisions(rows)
        new["deal"] = rows
        new["choice"] = actions
        new["generator"] = generators.states[rows]
        new["memory"] = _memories_of(generators, rows)
        new["lot"] = lot
        new["groups"] = batch.mask[rows][:, each] if len(each) else True
        drawn.append(new)
        # Records are large, so those that can no longer be in the sample are dropped early.
        if sum(map(len, drawn)) > 2 * groups * (sampling.most + 1):
            every, cuts = _with_cuts(drawn, sampling.most)
            # Lots equal to a cut stay too, since the last call of `_with_cuts` needs them.
            drawn[:] = [every[every["lot"] <= cuts]]

    play_to_end(batch, [agent], generators, before_step=draw)
    every, cuts = _with_cuts(drawn, sampling.most)
    below = np.flatnonzero(every["lot"] < cuts)
    below = below[np.argsort(every["deal"][below], kind="stable")]
    sample = every[below]
    chances = cuts[below]  # lots are uniform from 0 to 1, so a cut is also the chance to be kept
    sample["weight"] = chances.max(initial=0) / chances
    return sample


def _memories_of(generators: GameGenerators, rows: NDArray[np.int64]) -> NDArray[np.object_]:
    """Return copies of what agents remember of some games, by seat, or None, object[m]."""
    memories: dict[int, dict[int, Any]] = {}
    for (row, seat), memory in generators[rows].saved()[1].items():
        memories.setdefault(row, {})[seat] = memory
    of_rows = np.empty(len(rows), np.object_)
    of_rows[:] = [memories.get(row) for row in rows.tolist()]
    return of_rows


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
    games: Batch, rows: NDArray[np.int64], deals: NDArray[np.int64], columns: Sequence[str]
) -> pl.DataFrame:
    """Return the deal, the deciding seat, and fields as this seat sees them, of some rows."""
    layout = games.game.layout
    observations = games.obs[rows]
    fields = [field_column(layout, name, observations) for name in columns]
    seats = games.to_move[rows].astype(np.int64)
    return pl.DataFrame({"deal": deals, "seat": seats}).hstack(fields)


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
        others = _other_choices(positions, with_rest, rest[with_rest])
        kept = np.isin(places, with_rest)
        texts = np.append(texts[kept], [OTHER] * len(with_rest))
        places = np.append(places[kept], with_rest)
        actions = np.append(actions[kept], others)
    moves = {"move": texts.tolist(), "chosen": positions.choices[places] == actions}
    ends = _ends(positions, positions.games.save(places), places, actions)
    tried = positions.frame[places].hstack(pl.DataFrame(moves)).hstack(ends)
    return tried.sort("position", maintain_order=True)


def _other_choices(
    positions: Positions, rows: NDArray[np.int64], masks: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return what the agents choose in some positions if only the moves of a mask are legal."""
    generators = positions.generators(rows, _OTHER)
    movers = positions.games.to_move[rows]
    choices = np.empty(len(rows), np.int64)
    for number, agent in enumerate(positions.agents):
        own = np.flatnonzero(positions.agent_of[rows] == number)
        if len(own):
            draws = generators.for_seats(movers[own], own)
            choices[own] = decide(agent, positions.games, rows[own], draws, masks[own])
    return choices


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
    ends = _ends(positions, records, places)
    return positions.frame[places].with_columns(gift=gifts).hstack(ends)


def _ends(
    positions: Positions,
    records: Records,
    places: NDArray[np.int64],
    actions: NDArray[np.int64] | None = None,
) -> pl.DataFrame:
    games = batch_of(positions.games.game, records, positions.games.decisions(places))
    generators = positions.generators(places)
    seats = np.repeat(positions.agent_of[places, None], games.players[0], axis=1)
    play_to_end(games, positions.agents, generators, actions, seats=seats)
    # `final_results` has a row per game and seat.
    decider_rows = np.arange(games.n) * games.players + positions.frame["seat"].to_numpy()[places]
    ends: pl.DataFrame = final_results(games)[decider_rows].drop("seat")
    return ends
