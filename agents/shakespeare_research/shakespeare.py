"""Questions about good play of Shakespeare.

Values are prestige at the end of the game unless a question's unit says otherwise.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from shakespeare_agents.heuristics import best_untrained_agent
from shakespeare_agents.making import make
from shakespeare_env.core.batch import Batch
from shakespeare_env.play.generators import GameGenerators
from shakespeare_research.counterfactual import play_to_end
from shakespeare_research.groups import against, against_others
from shakespeare_research.questions import TableSetup, question
from shakespeare_research.self_play import final_results, self_play
from shakespeare_research.trials import Positions, Sampling, find_positions, try_gift, try_moves

_LEAST_WAGES = 11  # the least and the most wages of winners, by the rule book
_MOST_WAGES = 23
_EVERY_MOVE = pl.lit(True)  # the baseline of `against` that is the mean of all moves tried


def games(table: TableSetup) -> pl.DataFrame:
    """Play four times as many games as asked for, since games are cheap and vary much."""
    return self_play(start=["seat0.order"], end=["seat0.wages"], **table.self_play(4 * table.games))


@question(games, matters=0.5)
def winning_score(table: TableSetup, played: pl.DataFrame) -> pl.DataFrame:
    """The {item}'s score, less the one that the rule book calls good."""
    good = table.game.good_scores[table.players]
    return played.filter(won=1).with_columns(item=pl.lit("winner"), value=pl.col("score") - good)


@question(games, seats=2, matters=3, unit="% of games")
def wages(table: TableSetup, played: pl.DataFrame) -> pl.DataFrame:
    """Games whose winner's wages are {item} pounds, more than half of them."""
    within = pl.col("seat0.wages").is_between(_LEAST_WAGES, _MOST_WAGES).cast(float)
    item = pl.lit(f"{_LEAST_WAGES} to {_MOST_WAGES}")
    return played.filter(won=1).with_columns(item=item, value=100 * (within - 0.5))


@question(games, seats=2, matters=3, unit="% of games")
def place(table: TableSetup, played: pl.DataFrame) -> pl.DataFrame:
    """Games won by place {item} of the first day's Order, more than an equal share."""
    return _won(table, played).with_columns(item=pl.col("seat0.order"))


@question(games, seats=2, matters=3, unit="% of games")
def seat(table: TableSetup, played: pl.DataFrame) -> pl.DataFrame:
    """Games won by seat {item}, more than an equal share; a check, since seats are drawn."""
    return _won(table, played).with_columns(item=pl.col("seat"))


def _won(table: TableSetup, played: pl.DataFrame) -> pl.DataFrame:
    """Add `value`, the share of the victory beyond an equal share, in per cent of a game."""
    return played.with_columns(value=100 * (pl.col("won") - 1 / table.players))


def against_heuristics(table: TableSetup) -> pl.DataFrame:
    """Play games against heuristic agents at all other seats, from every seat equally often."""
    count = 2 * table.games
    batch = Batch(table.game.name, count, players=table.players, seed=table.seed, autoreset=False)
    heuristic = make(best_untrained_agent(batch.game), batch.game)
    player = make(table.player, batch.game)
    own_seat = np.arange(count) % table.players
    is_own = np.arange(table.players) == own_seat[:, None]
    seats = is_own.astype(np.int64)  # index 1, the player, at its own seat, and 0 at the others
    generators = GameGenerators.of_games(table.seed, np.arange(count))
    play_to_end(batch, [heuristic, player], generators, seats=seats)
    ends = final_results(batch).with_columns(deal=np.repeat(np.arange(count), table.players))
    return ends.filter(is_own.ravel())


@question(against_heuristics, seats=2, matters=3, unit="% of games")
def strength(table: TableSetup, played: pl.DataFrame) -> pl.DataFrame:
    """Games won against {item} players, more than an equal share."""
    return _won(table, played).with_columns(item=pl.lit("heuristic"))


def wagering(table: TableSetup) -> Positions:
    """Sample positions of any day in which the seat to move wagers."""
    return _sampled(table, "wager")


@question(wagering, seats=2)
def wager(table: TableSetup, positions: Positions) -> pl.DataFrame:
    """A wager of {item}, against the mean of the legal ones."""
    return _values(against(try_moves(positions), _EVERY_MOVE), pl.col("move").str.tail(1))


@question(wagering, seats=2, matters=0.05)
def pound(table: TableSetup, positions: Positions) -> pl.DataFrame:
    """A {item} given before a wager."""
    # Three are given, because one alone would often change nothing.
    return _given(positions, "pounds", amount=3, item="pound")


@question(wagering, seats=2)
def token(table: TableSetup, positions: Positions) -> pl.DataFrame:
    """A {item} token given before a wager."""
    return _given(positions, "tokens", amount=1, item='"+3"')


def _given(positions: Positions, what: str, amount: int, item: str) -> pl.DataFrame:
    """Return the worth of one thing: what a gift of `amount` brings, divided by `amount`."""
    # Each position is played with and without the gift; the one without is the baseline.
    gifts = against(try_gift(positions, what, amount), pl.col("gift") == 0).filter(gift=amount)
    return _values(gifts.with_columns(pl.col("score") / amount), pl.lit(item))


def recruiting(table: TableSetup) -> pl.DataFrame:
    """Recruit every card on offer on days 1 to 3, and compare it with the others on offer.

    Good cards are taken at once and rarely on offer, so positions are sampled for each card.
    """
    sampling = Sampling(most=table.games, each_of=["recruit"], where=pl.col("day") <= 3)
    positions = find_positions(
        blocks=["recruit"], sampling=sampling, **table.self_play(table.games)
    )
    card = pl.col("move").str.strip_prefix("recruit:")
    return against_others(try_moves(positions).with_columns(card=card))


@question(recruiting, matters=0.3)
def recruit(table: TableSetup, worth: pl.DataFrame) -> pl.DataFrame:
    """Recruiting {item} on days 1 to 3, against the other cards on offer."""
    names = {card["id"]: card["name"] for card in table.facts["character"]}
    return _values(worth, pl.col("card").replace_strict(names))


@question(recruiting)
def recruit_kind(table: TableSetup, worth: pl.DataFrame) -> pl.DataFrame:
    """Recruiting a card of the kind {item} on days 1 to 3, against the other cards on offer."""
    kinds = {card["id"]: card["kind"].replace("_", " ") for card in table.facts["character"]}
    return _values(worth, pl.col("card").replace_strict(kinds))


def favours(table: TableSetup) -> pl.DataFrame:
    """Try the Queen's favours, and compare them with her money."""
    return against(_tried(table, "queen"), pl.col("move") == "queen:money")


@question(favours)
def queen(table: TableSetup, tried: pl.DataFrame) -> pl.DataFrame:
    """The Queen's {item}, against her money."""
    return _values(tried.filter(pl.col("move") == "queen:objectives"), pl.lit("objectives"))


def keeping(table: TableSetup) -> pl.DataFrame:
    """Keep each of the objectives drawn in turn."""
    return against(_tried(table, "objective"), _EVERY_MOVE)


@question(keeping)
def objective(table: TableSetup, tried: pl.DataFrame) -> pl.DataFrame:
    """Keeping the objective "{item}", against the mean of those drawn."""
    names = {f"objective:{card['id']}": card["name"] for card in table.facts["objective"]}
    return _values(tried, pl.col("move").replace_strict(names))


def building(table: TableSetup) -> pl.DataFrame:
    """Set every element of the display on every legal space, in few positions as moves are many."""
    element_and_space = pl.col("move").str.strip_prefix("set:").str.split_exact(">", 1)
    # `move` becomes a struct of colour and space, and `unnest` makes two columns of it.
    named = element_and_space.struct.rename_fields(["colour", "space"])
    return _tried(table, "set", times=1).with_columns(named).unnest("move")


@question(building)
def stage_colour(table: TableSetup, tried: pl.DataFrame) -> pl.DataFrame:
    """A {item} element on the stage, against the mean of the legal ones."""
    return _values(against(tried, _EVERY_MOVE), pl.col("colour"))


@question(building)
def stage_space(table: TableSetup, tried: pl.DataFrame) -> pl.DataFrame:
    """An element on a space {item}, against the mean of the others that are legal."""
    lit = {space["id"]: bool(space.get("candle")) for space in table.facts["stage"]["space"]}
    with_candle = pl.col("space").replace_strict(lit)
    worth = against(tried.with_columns(lit=with_candle), ~pl.col("lit"))
    return _values(worth.filter("lit"), pl.lit("with a candle"))


def advancing(table: TableSetup) -> pl.DataFrame:
    """Spend white quills on each act in turn."""
    return against(_tried(table, "quill"), _EVERY_MOVE)


@question(advancing, matters=0.1)
def act(table: TableSetup, tried: pl.DataFrame) -> pl.DataFrame:
    """A white quill spent on Act {item}, against the mean of the legal acts."""
    return _values(tried, pl.col("move").str.strip_prefix("quill:"))


def _sampled(table: TableSetup, block: str, times: int = 2) -> Positions:
    """Sample positions that have moves of a block, at most `times` as many as games."""
    return find_positions(
        blocks=[block], sampling=Sampling(most=times * table.games), **table.self_play(table.games)
    )


def _tried(table: TableSetup, block: str, times: int = 2) -> pl.DataFrame:
    """Try every move of a block in the positions of `_sampled`."""
    return try_moves(_sampled(table, block, times))


def _values(rows: pl.DataFrame, item: pl.Expr) -> pl.DataFrame:
    """Make rows into an answer about `item`, with their scores as values."""
    return rows.with_columns(item=item, value=pl.col("score"))
