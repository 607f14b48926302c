"""An agent's games with itself, positions of them, and moves and gifts tried there.

The positions' agent holds every seat. A position's trials meet the same chance, of the game and the
agent, as long as their games draw alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shakespeare_agents.registry import make
from shakespeare_env.checks.values import is_whole
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game, ObservationLayout
from shakespeare_env.core.rng import check_seed, streams
from shakespeare_env.play.agent import AnyAgent, Player, decide_among
from shakespeare_env.play.generators import GameGenerators
from shakespeare_research.counterfactual import batch_of, play_on, victory_shares

OTHER = "another move"
"""The trial of `try_moves_and_other` beyond those of `try_moves`."""
_LOTS = np.uint64(0x107)
"""Separates the lots that pick positions from the agents' draws."""
_OTHER = np.uint64(0x07E2)
"""Separates the choice of another move from the draws of the games after it."""


def self_play(
    game: str,
    *,
    players: int,
    games: int,
    seed: int = 0,
    player: Player = "network",
    start: Mapping[str, str] | None = None,
    end: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """Play games, each its own deal, with one agent at all seats; one row per seat and game.

    The columns: `deal`, `players`, those of `outcomes`, and facts at the `start` and `end` of games
    (column -> `field` name), as each seat sees them. `seed` covers the deals and the agent's draws,
    `player` is as in `shakespeare_agents.make`.
    """
    batch = Batch(game, games, players=players, seed=seed, autoreset=False)
    facts = _seat_facts(batch, start or {})
    generators = GameGenerators.of_games(seed, np.arange(games))
    play_on(batch, [make(player, batch.game)], generators)
    facts |= _seat_facts(batch, end or {})
    deals = pl.DataFrame({"deal": np.repeat(np.arange(games), players)})
    deals = deals.with_columns(players=pl.lit(players, pl.Int64))
    return deals.hstack(outcomes(batch)).with_columns(**facts)


def outcomes(batch: Batch) -> pl.DataFrame:
    """How finished games of equally many seats ended, one row per seat and game.

    The columns: `seat`, `score`, `lead` over the best other seat (null with one seat) and `won` (1,
    a share of a shared victory, or 0).
    """
    players = int(batch.players[0])
    scores = batch.final_scores[:, :players].astype(np.float64)
    best = np.sort(scores, axis=1)
    # Two seats that share the best score each lead by 0.
    others = np.where(scores == best[:, -1:], best[:, -2:-1], best[:, -1:])
    return pl.DataFrame(
        {
            "seat": np.tile(np.arange(players), batch.n),
            "score": scores.ravel(),
            "lead": (scores - others).ravel() if players > 1 else [None] * batch.n,
            "won": victory_shares(batch)[:, :players].ravel(),
        },
        schema_overrides={"lead": pl.Float64},
    )


def _seat_facts(batch: Batch, facts: Mapping[str, str]) -> dict[str, NDArray[np.int16]]:
    seats = range(int(batch.players[0]))
    seen = [batch.observe(np.full(batch.n, seat, np.int8)) for seat in seats] if facts else []
    return {
        column: np.stack([field(batch.game.layout, name, of_seat) for of_seat in seen], 1).ravel()
        for column, name in facts.items()
    }


def field(
    layout: ObservationLayout, name: str, observations: NDArray[np.int8]
) -> NDArray[np.int16]:
    """int16[n]: a fact as a number, from int8[n, D] observations.

    Args:
        layout: The layout of the observations.
        name: A field, `seat0.pounds`, or one of its named numbers, `seat0.metrics.stage_spaces`. A
            one-hot field gives its 1's place, from 1, or 0.
        observations: int8[n, D].

    Raises:
        KeyError: no such field or number.
        ValueError: the field has several numbers.
    """
    whole, part = (name, "") if name in layout.fields else name.rpartition(".")[::2]
    entry = layout[whole]
    numbers = observations[:, entry.slice].astype(np.int16)
    if not part and entry.size == 1:
        return numbers[:, 0]
    if not part and entry.description.startswith("one-hot:"):
        return np.where(numbers.any(axis=1), numbers.argmax(axis=1) + 1, 0).astype(np.int16)
    # A description ends with the names of the numbers, if they have any.
    names = entry.description.rpartition(": ")[2].split(", ")
    if len(names) != entry.size:
        names = []
    listed = ", ".join(names) or "none with a name"
    if not part:
        raise ValueError(f"{name!r} has {entry.size} numbers: {listed}")
    if part not in names:
        raise KeyError(f"{whole!r} has no number {part!r}; there are {listed}")
    return numbers[:, names.index(part)]


@dataclass(frozen=True)
class Positions:
    """m positions of self-play, at a seat's decision, by deal in the order they came up."""

    frame: pl.DataFrame
    """One row per position: `position`, its number; `deal`, its game; `seat`, who decides;
    `weight`, what it counts for (see `find_positions`); the facts asked for."""
    games: Batch  # with the chance to come; they are copied, never stepped
    agent: AnyAgent  # that played them
    kinds: NDArray[np.int64]  # int64[k], ids of the moves searched for
    choices: NDArray[np.int64]  # int64[m], what the agent chose
    states: NDArray[np.uint64]  # uint64[m], the games' generators after that

    def where(self, wanted: pl.Expr) -> Positions:
        """The positions whose row in `frame` is as wanted, numbered anew.

        Raises:
            NoPositionError: there are none.
        """
        rows = np.flatnonzero(self.frame.select(wanted).to_series().to_numpy())
        if not len(rows):
            raise NoPositionError("no position is as wanted; play more games")
        return replace(
            self,
            frame=self.frame[rows].with_columns(position=np.arange(len(rows))),
            games=self.games.copies(rows),
            choices=self.choices[rows],
            states=self.states[rows],
        )


class NoPositionError(ValueError):
    """No position of the kind looked for came up in the games played."""


def find_positions(
    game: str,
    blocks: Sequence[str],
    *,
    players: int,
    games: int,
    most: int,
    each_of: Sequence[str] = (),
    least: int = 2,
    seed: int = 0,
    player: Player = "network",
    facts: Mapping[str, str] | None = None,
) -> Positions:
    """Play games, one agent at all seats, and sample positions with moves of some kinds.

    Args:
        game: Its name.
        blocks: Blocks of the action table.
        players: The number of seats.
        games: The number of games to play, each its own deal.
        most: The most positions to sample, uniformly; with `each_of`, for every move of theirs.
        each_of: Blocks of which rare moves are sampled as often as common ones. The more likely a
            position was for that to be sampled, the less its `weight`; 1 without.
        least: The fewest legal moves of these kinds.
        seed: Decides the deals and all draws.
        player: See `shakespeare_agents.make`.
        facts: Column -> `field` name, as the decider sees it.

    Raises:
        NoPositionError: there is no such position.
        ValueError: there is no such block, or a number is out of range.
    """
    checked_count("least", least)
    checked_count("most", most)
    batch = Batch(game, games, players=players, seed=seed, autoreset=False)
    kinds = _ids_of(batch.game, blocks)
    each = _ids_of(batch.game, each_of) if each_of else kinds[:0]
    agent = make(player, batch.game)
    generators = GameGenerators.of_games(seed, np.arange(games))
    sample = _Sample(batch, generators, kinds, each, least, most, seed)
    play_on(batch, [agent], generators, before_step=sample.draw)
    kept, weights = sample.kept()
    if not len(kept):
        raise NoPositionError(f"no such decision came up in {games} games; play more of them")
    positions = batch_of(batch.game, kept["record"])
    frame = pl.DataFrame(
        {
            "position": np.arange(len(kept)),
            "deal": kept["deal"],
            "seat": positions.to_move.astype(np.int64),
            "weight": weights,
        }
        | {
            column: field(batch.game.layout, name, positions.obs)
            for column, name in (facts or {}).items()
        }
    )
    return Positions(frame, positions, agent, kinds, kept["choice"], kept["state"])


@dataclass
class _Sample:
    """Keeps the decisions with the lowest lots while games are played, of each move or of all.

    All moves of a decision share its lot, so its chance to be kept is the highest of their cuts
    (Cohen and Kaplan 2007, "Summarizing data using bottom-k sketches").
    """

    batch: Batch
    generators: GameGenerators
    kinds: NDArray[np.int64]
    each: NDArray[np.int64]
    least: int
    most: int
    seed: int

    def __post_init__(self) -> None:
        lots = int(check_seed(self.seed) ^ _LOTS)
        self._lots = GameGenerators(streams(lots, np.arange(self.batch.n)))
        self._groups = max(len(self.each), 1)
        fields = [("record", self.batch.game.state), ("deal", np.int64), ("choice", np.int64)]
        groups = ("groups", np.bool_, (self._groups,))
        self._dtype = np.dtype([*fields, ("state", np.uint64), ("lot", np.float64), groups])
        self._drawn = [np.zeros(0, self._dtype)]

    def draw(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Draw a lot for every fitting decision before it is played."""
        mask = self.batch.mask[rows]
        fits = mask[:, self.kinds].sum(axis=1) >= self.least
        rows = rows[fits]
        drawn = np.zeros(len(rows), self._dtype)
        drawn["record"] = self.batch.save(rows)
        drawn["deal"] = rows
        drawn["choice"] = actions[fits]
        drawn["state"] = self.generators.states[rows]
        drawn["lot"] = self._lots[rows].random()
        drawn["groups"] = mask[fits][:, self.each] if len(self.each) else True
        self._drawn.append(drawn)
        # Records are large, so those that can no longer be kept are dropped on the way.
        if sum(map(len, self._drawn)) > 2 * self._groups * (self.most + 1):
            drawn, cuts = self._with_cuts()
            self._drawn = [drawn[drawn["lot"] <= cuts]]

    def kept(self) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """The decisions kept, by deal, and their weights."""
        drawn, cuts = self._with_cuts()
        kept = drawn["lot"] < cuts
        order = np.argsort(drawn["deal"][kept], kind="stable")
        chances = cuts[kept][order]
        return drawn[kept][order], chances.max(initial=0.0) / chances

    def _with_cuts(self) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """All decisions, and the lots below which they are kept: the first ones left out."""
        drawn = np.concatenate(self._drawn)
        if len(drawn) <= self.most:
            return drawn, np.asarray(drawn["groups"].any(axis=1), np.float64)
        lots = np.where(drawn["groups"], drawn["lot"][:, None], 1.0)
        cuts = np.partition(lots, self.most, axis=0)[self.most]
        highest: NDArray[np.float64] = np.where(drawn["groups"], cuts, 0.0).max(axis=1)
        return drawn, highest


def _ids_of(game: Game, blocks: Sequence[str]) -> NDArray[np.int64]:
    known = {block.name: block for block in game.actions.blocks}
    for name in blocks:
        if name not in known:
            raise ValueError(f"{game.name} has no block {name!r}; its blocks: {', '.join(known)}")
    return np.concatenate(
        [game.actions.start[name] + np.arange(len(known[name].texts)) for name in blocks]
    )


def try_moves(positions: Positions) -> pl.DataFrame:
    """Try every legal move of the kinds looked for, one row per trial, by position.

    The columns: those of `positions.frame`; `move`, its text; `chosen`, whether the agent plays it;
    the decider's `score`, `lead` and `won` (see `outcomes`).
    """
    return _tried(positions, *_legal(positions))


def try_moves_and_other(positions: Positions) -> pl.DataFrame:
    """Like `try_moves`, plus a trial `OTHER`, the agent's choice among all other moves.

    Positions without other moves are dropped.

    Raises:
        ValueError: no position has other moves.
    """
    rest = positions.games.mask.copy()
    rest[:, positions.kinds] = False
    open_to = np.flatnonzero(rest.any(axis=1))
    if not len(open_to):
        raise ValueError("no position has moves of other kinds; use `try_moves`")
    asked = positions.games.copies(open_to)
    generators = GameGenerators(positions.states[open_to] ^ _OTHER)
    others = decide_among(positions.agent, asked, rest[open_to], generators)
    places, actions = _legal(positions)
    among = np.isin(places, open_to)
    tried = _tried(
        positions,
        np.append(places[among], open_to),
        np.append(actions[among], others),
        of_others=len(others),
    )
    return tried.sort("position", maintain_order=True)


def try_gift(positions: Positions, what: str, amount: int) -> pl.DataFrame:
    """Give the decider more of something; two rows per position, without and with it.

    The columns: those of `positions.frame`; `gift`, 0 or the amount; the decider's `score`, `lead`
    and `won`. `what` is a per-seat field of the game's record, such as `pounds`; `amount` is 0 or
    more. Where the game has a supply (`supply_tokens`) the gift comes from it, and positions whose
    supply has less are dropped.

    Raises:
        ValueError: the record has no such field, or no room for so much.
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
    if not is_whole(amount) or not 0 <= amount <= room:
        raise ValueError(f"amount={amount!r}: give a whole number of {what} from 0 to {room}")
    able = np.arange(len(records)) if supply is None else np.flatnonzero(records[supply] >= amount)
    places, gifts = np.repeat(able, 2), np.tile([0, amount], len(able))
    records = records[places]
    given = gifts.astype(game.state[what].base)
    records[what][np.arange(len(records)), deciders[places]] += given
    if supply is not None:
        records[supply] -= given
    ends = _ends(positions, batch_of(game, records), places)
    return positions.frame[places].with_columns(gift=gifts).hstack(ends)


def _legal(positions: Positions) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Positions and ids of the legal moves of the kinds looked for."""
    places, kinds = positions.games.mask[:, positions.kinds].nonzero()
    return places, positions.kinds[kinds]


def _tried(
    positions: Positions, places: NDArray[np.int64], actions: NDArray[np.int64], of_others: int = 0
) -> pl.DataFrame:
    """Trials of an action each, of which the last ones are `OTHER`."""
    texts = [positions.games.game.actions.texts[action] for action in actions]
    texts[len(texts) - of_others :] = [OTHER] * of_others
    moves = {"move": texts, "chosen": positions.choices[places] == actions}
    ends = _ends(positions, positions.games.copies(places), places, actions)
    return positions.frame[places].hstack(pl.DataFrame(moves)).hstack(ends)


def _ends(
    positions: Positions,
    games: Batch,
    places: NDArray[np.int64],
    actions: NDArray[np.int64] | None = None,
) -> pl.DataFrame:
    """The deciders' `score`, `lead` and `won` once games are played on."""
    play_on(games, [positions.agent], GameGenerators(positions.states[places]), actions)
    deciders = np.arange(games.n) * games.players + positions.frame["seat"].to_numpy()[places]
    ends: pl.DataFrame = outcomes(games)[deciders].drop("seat")
    return ends
