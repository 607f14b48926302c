"""An agent's games with itself, positions of them, and moves and gifts tried there.

The positions' agent holds every seat. A position's trials meet the same chance, of the game and the
agent, as long as their games draw alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shakespeare_agents.naming import make
from shakespeare_env.checks.values import is_whole, short_repr
from shakespeare_env.core.batch import Batch
from shakespeare_env.core.batch_checks import checked_count
from shakespeare_env.core.game import Game, ObservationLayout
from shakespeare_env.core.rng import check_seed, streams
from shakespeare_env.play.agent import AgentLike, AnyAgent, decide
from shakespeare_env.play.generators import GameGenerators
from shakespeare_research.counterfactual import batch_of, play_to_end, victory_shares

OTHER = "another move"
"""The trial of `try_moves` beyond the moves looked for."""
_LOTS, _OTHER = np.uint64(0x107), np.uint64(0x07E2)
"""Separate the lots that pick positions, and the choice of another move, from other draws."""


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
    """Play games, each its own deal, with one agent at all seats; one row per seat and game.

    The columns: `deal`, `players`, those of `final_results`, and facts at the `start` and `end` of
    games (column -> `field_values` name), as each seat sees them. `seed` covers the deals and the
    agent's draws, `player` is as in `shakespeare_agents.make`.
    """
    batch = Batch(game, games, players=players, seed=seed, autoreset=False)
    facts = _seat_facts(batch, start or {})
    generators = GameGenerators.of_games(seed, np.arange(games))
    play_to_end(batch, [make(player, batch.game)], generators)
    facts |= _seat_facts(batch, end or {})
    deals = {"deal": np.arange(games).repeat(players), "players": np.full(games * players, players)}
    return pl.DataFrame(deals).hstack(final_results(batch)).with_columns(**facts)


def final_results(batch: Batch) -> pl.DataFrame:
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
        column: np.stack(
            [field_values(batch.game.layout, name, of_seat) for of_seat in seen], 1
        ).ravel()
        for column, name in facts.items()
    }


def field_values(
    layout: ObservationLayout, name: str, observations: NDArray[np.int8]
) -> NDArray[np.int16]:
    """int16[n]: a fact as a number, from int8[n, D] observations.

    The name is that of a field, `seat0.pounds`, or of one of its named numbers,
    `seat0.metrics.stage_spaces`. A one-hot field gives its 1's place, from 1, or 0.

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
    player: AgentLike = "network",
    facts: Mapping[str, str] | None = None,
    where: pl.Expr | None = None,
) -> Positions:
    """Play games, one agent at all seats, and sample positions with moves of some kinds.

    Positions with `least` legal moves or more of some blocks of the action table are sampled, at
    most `most`: uniformly, or so many for every move of the blocks `each_of`, so that rare moves
    have as many as common ones. The more likely a position was for that to be sampled, the less its
    `weight`; 1 without. `facts` are column -> `field_values` name, as the decider sees it. Only
    positions are sampled for which `where` is true, an expression of `deal`, `seat` and the facts
    of one row. The other arguments are those of `self_play`.

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
    lots = GameGenerators(streams(int(check_seed(seed) ^ _LOTS), np.arange(games)))
    of_moves = max(len(each), 1)
    record = [("record", batch.game.state), ("deal", np.int64), ("choice", np.int64)]
    lot = [("state", np.uint64), ("lot", np.float64), ("groups", np.bool_, (of_moves,))]
    drawn = [np.zeros(0, [*record, *lot])]

    def draw(rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        fits = batch.mask[rows][:, kinds].sum(axis=1) >= least
        rows = rows[fits]
        actions = actions[fits]
        # Each draws its lot, so that the lots of those wanted do not depend on `where`.
        lot = lots[rows].random()
        if where is not None:
            # This repeats a value that is the same for all rows.
            asked = _noted(batch, rows, rows, facts).with_columns(wanted=where)["wanted"]
            if asked.dtype != pl.Boolean:
                raise ValueError(
                    f"where={short_repr(str(where))} gives {asked.dtype}: give a condition, "
                    "which is "
                    'true or false, such as pl.col("seat") == 0'
                )
            wanted = asked.fill_null(False).to_numpy()
            rows = rows[wanted]
            actions = actions[wanted]
            lot = lot[wanted]
        new = np.zeros(len(rows), drawn[0].dtype)
        new["record"], new["deal"], new["choice"] = batch.save(rows), rows, actions
        new["state"], new["lot"] = generators.states[rows], lot
        new["groups"] = batch.mask[rows][:, each] if len(each) else True
        drawn.append(new)
        # Records are large, so those that can no longer be kept are dropped on the way.
        if sum(map(len, drawn)) > 2 * of_moves * (most + 1):
            every, cuts = _with_cuts(drawn, most)
            drawn[:] = [every[every["lot"] <= cuts]]

    play_to_end(batch, [agent], generators, before_step=draw)
    every, cuts = _with_cuts(drawn, most)
    below = np.flatnonzero(every["lot"] < cuts)
    below = below[np.argsort(every["deal"][below], kind="stable")]
    kept, chances = every[below], cuts[below]
    if not len(kept):
        raise NoPositionError(f"no such decision came up in {games} games; play more of them")
    positions = batch_of(batch.game, kept["record"])
    noted = _noted(positions, np.arange(len(kept)), kept["deal"], facts)
    frame = noted.select(
        pl.Series("position", np.arange(len(kept))),
        "deal",
        "seat",
        pl.Series("weight", chances.max() / chances),
        *(facts or {}),
    )
    return Positions(frame, positions, agent, kinds, kept["choice"], kept["state"])


def _noted(
    games: Batch, rows: NDArray[np.int64], deals: NDArray[np.int64], facts: Mapping[str, str] | None
) -> pl.DataFrame:
    """Return the deal, the seat that decides, and the facts as it sees them, of some rows."""
    layout, observations = games.game.layout, games.obs[rows]
    noted = {
        column: field_values(layout, name, observations) for column, name in (facts or {}).items()
    }
    return pl.DataFrame({"deal": deals, "seat": games.to_move[rows].astype(np.int64), **noted})


def _with_cuts(
    drawn: Sequence[NDArray[Any]], most: int
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """All decisions drawn, and the lots below which they are kept: the first ones left out.

    All moves of a decision share its lot, so its chance to be kept is the highest of their cuts
    (Cohen and Kaplan 2007, "Summarizing data using bottom-k sketches").
    """
    every = np.concatenate(drawn)
    if len(every) <= most:
        return every, np.asarray(every["groups"].any(axis=1), np.float64)
    lots = np.where(every["groups"], every["lot"][:, None], 1.0)
    cuts = np.partition(lots, most, axis=0)[most]
    highest: NDArray[np.float64] = np.where(every["groups"], cuts, 0.0).max(axis=1)
    return every, highest


def _ids_of(game: Game, blocks: Sequence[str]) -> NDArray[np.int64]:
    known = {block.name: block for block in game.actions.blocks}
    for name in blocks:
        if name not in known:
            raise ValueError(f"{game.name} has no block {name!r}; its blocks: {', '.join(known)}")
    return np.concatenate(
        [game.actions.start[name] + np.arange(len(known[name].texts)) for name in blocks]
    )


def try_moves(positions: Positions, *, other: bool = False) -> pl.DataFrame:
    """Try every legal move of the kinds looked for, one row per trial, by position.

    The columns: those of `positions.frame`; `move`, its text; `chosen`, whether the agent plays it;
    the decider's `score`, `lead` and `won` (see `final_results`). `other` adds a trial `OTHER`, the
    agent's choice among all other moves; positions without any are dropped.

    Raises:
        ValueError: no position has other moves.
    """
    mask, agent = positions.games.mask, positions.agent
    places, kinds = mask[:, positions.kinds].nonzero()
    actions = positions.kinds[kinds]
    texts = np.array(positions.games.game.actions.texts, object)[actions]
    if other:
        rest = mask.copy()
        rest[:, positions.kinds] = False
        able = np.flatnonzero(rest.any(axis=1))
        if not len(able):
            raise ValueError("no position has moves of other kinds")
        generators = GameGenerators(positions.states[able] ^ _OTHER)
        others = decide(agent, positions.games, able, generators, rest[able])
        kept = np.isin(places, able)
        texts = np.append(texts[kept], [OTHER] * len(able))
        places, actions = np.append(places[kept], able), np.append(actions[kept], others)
    moves = {"move": texts.tolist(), "chosen": positions.choices[places] == actions}
    ends = _ends(positions, positions.games.copies(places), places, actions)
    tried = positions.frame[places].hstack(pl.DataFrame(moves)).hstack(ends)
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


def _ends(
    positions: Positions,
    games: Batch,
    places: NDArray[np.int64],
    actions: NDArray[np.int64] | None = None,
) -> pl.DataFrame:
    play_to_end(games, [positions.agent], GameGenerators(positions.states[places]), actions)
    deciders = np.arange(games.n) * games.players + positions.frame["seat"].to_numpy()[places]
    ends: pl.DataFrame = final_results(games)[deciders].drop("seat")
    return ends
