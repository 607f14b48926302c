"""The tables of one server: what can be asked of them, one request at a time, without MCP."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field

from shakespeare_agents.identity import DIGITS, agent_digest
from shakespeare_agents.naming import default, make, parsed, public_name
from shakespeare_agents.programs import Fault
from shakespeare_arena.playing import result_row
from shakespeare_arena.results import opened
from shakespeare_arena.seating import Match, RunSettings, Seating
from shakespeare_env import Position
from shakespeare_env.checks.values import did_you_mean, short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.rng import EXACT, fresh_seed
from shakespeare_env.datasets.frames import RESULTS, frame
from shakespeare_env.datasets.reading import is_arena, read_results
from shakespeare_env.errors import ArenaError, IllegalMove, ShakespeareEnvError
from shakespeare_env.rulebook import notation, rules
from shakespeare_table.mcp.table import Answer, Opponent, Start, Table

GameName = Annotated[str, Field(description="A game of list_games.")]
TableNumber = Annotated[int, Field(description="The table's number, as given to new_game.")]
SeedOfDeal = Annotated[
    Annotated[int, Field(ge=0, lt=EXACT)] | Annotated[str, Field(pattern="^[0-9]{1,20}$")] | None,
    Field(
        description="The same seed is the same deal; else a fresh one. From 2^53 on a text "
        "of digits, as JSON's numbers may have been rounded."
    ),
]


class RequestError(ShakespeareEnvError, ValueError):
    """A request that cannot be met: why, and what can be done instead."""


class _Act(NamedTuple):
    """A call that has changed a table, with its arguments, and its answer."""

    call: tuple[object, ...]
    answer: Answer


class Tables:
    """Games against agents, each begun, looked at and played on by its number.

    Args:
        named: The agents at the other seats, in order; the last fills the rest. By default the
            default agent.
        games: What may be played; all games if empty.
        keeper: Puts finished games into an arena's results, if given.

    All methods raise `RequestError` for what cannot be. Calls from several threads wait for each
    other. Clients repeat calls whose answer is late, so a call that acts does so once: repeated, it
    is answered as before. Methods that a server offers as tools have the docstrings that a model
    reads.
    """

    def __init__(
        self, named: Sequence[str] = (), games: Sequence[str] = (), keeper: Keeper | None = None
    ) -> None:
        self.games = tuple(games or registry.names())
        self._named = tuple(named)
        self._keeper = keeper
        self._tables: dict[int, Table] = {}
        self._last_acts: dict[int, _Act] = {}
        self._made: dict[tuple[str, str], Opponent] = {}
        self._lock = threading.RLock()

    def list_games(self) -> Answer:
        """List what can be played, at how many seats, against whom, and the tables there are."""
        games = [
            {
                "game": name,
                "players": list(registry.seats(name)),
                "variants": list(registry.variants(name)),
                "opponents": list(map(public_name, self._named_for(name))),
            }
            for name in self.games
        ]
        with self._lock:
            facts = {"games": games, "tables": [table.brief() for table in self._tables.values()]}
        return Answer(json.dumps(facts), facts)

    def read_rules(self, game: GameName) -> Answer:
        """Read a game's rules, and how its moves and positions are written."""
        self._check_game(game)
        facts = {"rules": rules(game), "notation": notation(game)}
        return Answer(f"{facts['rules']}\n{facts['notation']}", facts)

    def new_game(
        self,
        table: Annotated[int, Field(ge=1, description="A new number for it, such as 1.")],
        game: GameName,
        players: Annotated[int, Field(description="Seats at the table, yours too.")],
        seat: Annotated[int, Field(description="Yours, counted from 0.")] = 0,
        seed: SeedOfDeal = None,
        variants: Annotated[
            list[str] | None, Field(description="Variants of list_games to play with.")
        ] = None,
    ) -> Answer:
        """Open a table and see it; the others play up to your first choice.

        Called again with the same arguments, it opens no other table.
        """

        def open_table() -> Answer:
            taken = self._tables.keys() | self._last_acts.keys()
            if table in taken:
                free = next(number for number in count(1) if number not in taken)
                raise RequestError(f"table {table} is taken; give a new number, such as {free}")
            self._check_game(game)
            try:
                seats = registry.game(game).check_players(players)
                if not 0 <= seat < seats:
                    raise RequestError(f"no seat {seat}; the seats are 0 to {seats - 1}")
                start = self._start(seats, seed, tuple(variants or ()))
                named: Any = dict.fromkeys(start.variants, True)
                dealt: Any = {"seed": start.seed, "deal": start.deal}
                position = Position.new(game, players=seats, **dealt, **named)
                opponents = self._opponents(game, seats - 1)
            except (TypeError, ValueError, ImportError) as fault:
                raise RequestError(str(fault)) from fault
            opened = Table(table, position, start, seat, opponents)
            self._tables[table] = opened
            return self._with_ending(opened, opened.view())

        call = ("new_game", game, players, seat, seed, tuple(variants or ()))
        return self._once(table, call, open_table)

    def see_seat(self, table: TableNumber) -> Answer:
        """See all that your seat may know: what has happened, the table, scores, the position."""
        with self._lock:
            return self._table(table).view()

    def legal_moves(self, table: TableNumber) -> Answer:
        """List your legal moves, and what each does."""
        with self._lock:
            return self._table(table).choices()

    def explain(
        self,
        table: TableNumber,
        name: Annotated[str, Field(description="As moves and the drawing name it.")],
    ) -> Answer:
        """Explain what a card, a move or a thing on the table does and is worth now."""
        with self._lock:
            seen = self._table(table)
            topics = seen.position.game.presentation.topics(seen.position.seen_by(seen.seat))
        by_word = {word.lower(): does for word, does in topics.items()}
        asked = name.strip().lower()
        does = by_word.get(asked) or "\n".join(  # a move, part by part
            f"{part}: {by_word[part]}" for part in re.split("[:>]", asked) if part in by_word
        )
        if not does:
            known = ", ".join(topics)
            raise RequestError(
                f"there is no {short_repr(name)}{did_you_mean(name, topics)}; there are: {known}"
            )
        return Answer(f"{name}: {does}", {"name": name, "does": does})

    def play(
        self,
        table: TableNumber,
        move: Annotated[str, Field(description="One of legal_moves.")],
        decision: Annotated[int, Field(description="The decision that it answers: its number.")],
    ) -> Answer:
        """Play a move; the others play on, and what happened and your next choice come back.

        Called again with the same arguments, it plays no other move.
        """

        def play_move() -> Answer:
            playing = self._table(table)
            if playing.is_over:
                raise RequestError(f"table {table}: the game is over; new_game begins another")
            if decision != playing.decision:
                raise RequestError(
                    f"table {table}: decision {decision} is not the one that you are asked for, "
                    f"which is {playing.decision}; nothing has changed: look, then choose"
                )
            try:
                answer = playing.play(move)
            except IllegalMove as fault:
                raise RequestError(
                    f"{short_repr(move)} is not legal{did_you_mean(move, fault.legal)}; "
                    "nothing has changed. "
                    f"Legal moves: {', '.join(fault.legal)}"
                ) from fault
            return self._with_ending(playing, answer)

        return self._once(table, ("play", move, decision), play_move)

    def leave_table(self, table: TableNumber) -> Answer:
        """Give up a game in progress, which loses it where games count, or clear a finished one."""

        def leave() -> Answer:
            left = self._table(table)
            del self._tables[table]
            text = f"You have left table {table}."
            if not left.is_over and self._keeper is not None:
                left.failed = left.seat
                left.fault = Fault("crash", "it left the table before the end")
                text += f" {self._keeper.keep(left)}"
            return Answer(text, {"table": table})

        return self._once(table, ("leave_table",), leave)

    def close(self) -> None:
        """Leave all tables, as when whoever plays has gone."""
        for number in list(self._tables):
            self.leave_table(number)
        if self._keeper is not None:
            self._keeper.write()

    def _once(self, table: int, call: tuple[object, ...], act: Callable[[], Answer]) -> Answer:
        """Act, unless this call was the last that acted on its table: then answer as before."""
        with self._lock:
            last = self._last_acts.get(table)
            if last is not None and last.call == call:
                return last.answer
            answer = act()
            self._last_acts[table] = _Act(call, answer)
            return answer

    def _table(self, number: int) -> Table:
        if number not in self._tables:
            known = ", ".join(map(str, self._tables)) or "none; new_game opens one"
            raise RequestError(f"there is no table {number}; there are: {known}")
        return self._tables[number]

    def _check_game(self, game: str) -> None:
        if game not in self.games:
            raise RequestError(
                f"no game {short_repr(game)}{did_you_mean(game, self.games)} is played here; "
                "there are: "
                f"{', '.join(self.games)}"
            )

    def _start(self, players: int, seed: int | str | None, variants: tuple[str, ...]) -> Start:
        if self._keeper is not None:
            if seed is not None:
                raise RequestError("games that count are dealt by the server: leave out the seed")
            if players == 1:
                taken = [t.start for t in self._tables.values() if t.position.players == 1]
                return Start(*self._keeper.next_solo_deal(taken), variants)
        return Start(fresh_seed() if seed is None else int(seed), 0, variants)

    def _named_for(self, game: str) -> Sequence[str]:
        return self._named or (default(registry.game(game)),)

    def _opponents(self, game: str, number: int) -> list[Opponent]:
        named, rules = self._named_for(game), registry.game(game)
        names = [named[min(at, len(named) - 1)] for at in range(number)]
        for name in names:
            if (game, name) not in self._made:
                given = parsed(name)
                try:
                    agent = make(given, rules)
                except Exception as fault:  # an agent may be anybody's
                    print(f"{name} cannot play: {fault}", file=sys.stderr)
                    kind = type(fault).__name__
                    raise RequestError(
                        f"{public_name(name)} cannot play ({kind}); the server's errors say more"
                    ) from fault
                self._made[game, name] = Opponent(name, agent_digest(given, agent, rules), agent)
        return [self._made[game, name] for name in names]

    def _with_ending(self, table: Table, answer: Answer) -> Answer:
        """An answer and, if the game has just ended, a note of where it is kept."""
        if not table.is_over or self._keeper is None:
            return answer
        kept = self._keeper.keep(table)
        return Answer(f"{answer.text}\n{kept}", {**answer.facts, "kept": kept})


class Keeper:
    """Appends games to an arena's results, where a model stands on the ladder beside agents.

    Raises:
        ArenaError: the folder is not for results of this game.
        DatasetError: they are damaged, or of another box.
        ModuleNotFoundError: the extra `arena` is missing.
        OSError: it cannot be written.
    """

    def __init__(self, folder: Path, game: str, name: str) -> None:
        self.folder, self.game, self.name = folder, game, name
        self.digest = digest_of_name(name)
        self._waiting: list[dict[str, Any]] = []
        with opened(folder, game):
            pass

    def next_solo_deal(self, taken: Iterable[Start]) -> tuple[int, int]:
        """Seed and number of the next deal of the solo game that is not `taken`.

        All agents of an arena play the same solo deals, so that their scores can be compared.
        """
        rows = read_results(self.folder).to_dicts() if is_arena(self.folder) else []
        solo = [row for row in rows if row["players"] == 1]
        seed = solo[0]["seed"] if solo else 0
        numbers = {
            row["deal"] for row in solo if row["seed"] == seed and self.digest in row["digests"]
        }
        numbers |= {start.deal for start in taken if start.seed == seed}
        numbers |= {row["deal"] for row in self._waiting if row["players"] == 1}
        return seed, next(deal for deal in range(len(numbers) + 1) if deal not in numbers)

    def keep(self, table: Table) -> str:
        """Write a table's game, which is over, and say so."""
        self._waiting.append(self._row(table))
        return self.write()

    def write(self) -> str:
        """Write what is waiting; games wait while somebody else writes the results."""
        if not self._waiting:
            return ""
        columns = {name: [row[name] for row in self._waiting] for name in RESULTS}
        try:
            with opened(self.folder, self.game) as store:
                store.append(frame(RESULTS, columns))
        except (ArenaError, OSError) as fault:
            return f"The result is not written yet, but with the next one: {fault}"
        self._waiting.clear()
        return f"The result counts for {self.name} in {self.folder}."

    def _row(self, table: Table) -> dict[str, Any]:
        position, players, start = table.position, table.position.players, table.start
        names, digests = {self.digest: self.name}, [self.digest] * players
        for seat, opponent in table.opponents.items():
            names[opponent.digest], digests[seat] = opponent.name, opponent.digest
        return result_row(
            Seating(Match(players, start.deal, tuple(digests), (0,)), 0),
            RunSettings(self.game, start.variants, start.seed, {}, names),
            position.scores(),
            np.isin(np.arange(players), position.winners or []),
            None if table.failed is None else (table.failed, table.fault),
            seconds=table.seconds,
            decisions=table.decisions,
            actions=[
                before.action_id(move)
                for before, move in zip(table.positions, table.moves, strict=False)
            ],
            values=None,
        )


def digest_of_name(name: str) -> str:
    """The digest of an outside player, of whom only the name is known."""
    return hashlib.sha256(f"mcp {name}".encode()).hexdigest()[:DIGITS]
