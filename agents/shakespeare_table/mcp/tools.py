"""The tools with which a language model plays, as plain methods without MCP."""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Callable, Sequence
from itertools import count
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from shakespeare_agents.identity import agent_digest
from shakespeare_agents.making import make
from shakespeare_agents.naming import default, parse_if_name, public_name
from shakespeare_agents.programs import Fault
from shakespeare_env import Position
from shakespeare_env.checks.values import did_you_mean, short_repr
from shakespeare_env.core import registry
from shakespeare_env.core.rng import JSON_SAFE_LIMIT, fresh_seed
from shakespeare_env.errors import IllegalMove, ShakespeareEnvError
from shakespeare_env.rulebook import notation_text, rules_text
from shakespeare_table.mcp.model_game import GameStart, ModelGame, Opponent, ToolResult
from shakespeare_table.mcp.results import ResultsWriter

GameName = Annotated[str, Field(description="A game of list_games.")]
TableNumber = Annotated[int, Field(description="The table's number that you gave to new_game.")]
SeedOfDeal = Annotated[
    Annotated[int, Field(ge=0, lt=JSON_SAFE_LIMIT)]
    | Annotated[str, Field(pattern="^[0-9]{1,20}$")]
    | None,
    Field(
        description="The same seed gives the same deal. Without a seed the deal is fresh. From "
        "2^53 on give a text of digits, as numbers in JSON may be rounded."
    ),
]


class RequestError(ShakespeareEnvError, ValueError):
    """A request that cannot be carried out. The message says why, and what to do instead."""


class _LastCall(NamedTuple):
    """The last call that changed a table.

    Attributes:
        call: The name of the tool, and its arguments.
        result: Its result.
    """

    call: tuple[object, ...]
    result: ToolResult


class GameTools:
    """The tools with which a language model plays games against agents, each at a numbered table.

    Calls from several threads wait for each other. Clients repeat a call whose result is late.
    Repeated calls therefore change nothing more, and return the result of the first one. All
    methods raise `RequestError` for requests that cannot be carried out. Models read the docstrings
    of the methods that a server offers as tools.

    Args:
        opponents: The names of the agents at the other seats, in order. The last one also plays
            the seats that are left. If empty, each game's default agent plays.
        games: The names of the games that may be played. All games if empty.
        results_writer: The writer that adds finished games to an arena's results, if any.

    Attributes:
        games: The names of the games that may be played.
        tables: The games at tables that were not left, by table number.
    """

    def __init__(
        self,
        opponents: Sequence[str] = (),
        games: Sequence[str] = (),
        results_writer: ResultsWriter | None = None,
    ) -> None:
        self.games = tuple(games or registry.names())
        self._opponent_names = tuple(opponents)
        self._results_writer = results_writer
        self.tables: dict[int, ModelGame] = {}
        self._last_calls: dict[int, _LastCall] = {}
        self._made_opponents: dict[tuple[str, str], Opponent] = {}
        self._lock = threading.RLock()

    def list_games(self) -> ToolResult:
        """List the games, their numbers of seats, variants and opponents, and the open tables."""
        games = [
            {
                "game": name,
                "players": list(registry.seats(name)),
                "variants": list(registry.variants(name)),
                "opponents": list(map(public_name, self._names_of_opponents(name))),
            }
            for name in self.games
        ]
        with self._lock:
            facts = {"games": games, "tables": [game.brief() for game in self.tables.values()]}
        return ToolResult(json.dumps(facts), facts)

    def read_rules(self, game: GameName) -> ToolResult:
        """Read the rules of a game, and how its moves and positions are written."""
        self._check_game(game)
        facts = {"rules": rules_text(game), "notation": notation_text(game)}
        return ToolResult(f"{facts['rules']}\n{facts['notation']}", facts)

    def new_game(
        self,
        table: Annotated[int, Field(ge=1, description="A new number for the table, such as 1.")],
        game: GameName,
        players: Annotated[int, Field(description="The number of seats, including yours.")],
        seat: Annotated[int, Field(description="Your seat, counted from 0.")] = 0,
        seed: SeedOfDeal = None,
        variants: Annotated[
            list[str] | None, Field(description="Variants to play with, from list_games.")
        ] = None,
    ) -> ToolResult:
        """Open a table and see it. The others play until your first choice.

        If you repeat the call with the same arguments, no other table is opened.
        """

        def open_table() -> ToolResult:
            # The number of a table that was left is not used again, since a late repetition of an
            # earlier call may still name it.
            used = self.tables.keys() | self._last_calls.keys()
            if table in used:
                free = next(number for number in count(1) if number not in used)
                raise RequestError(f"Table {table} is taken. Give a new number, such as {free}.")
            self._check_game(game)
            try:
                seats = registry.game(game).check_players(players)
                if not 0 <= seat < seats:
                    raise RequestError(f"There is no seat {seat}. The seats are 0 to {seats - 1}.")
                start = self._start(seats, seed, tuple(variants or ()))
                options: Any = dict.fromkeys(start.variants, True)
                position = Position.new(
                    game, players=seats, seed=start.seed, deal=start.deal, **options
                )
                opponents = self._opponents(game, seats - 1)
            except (TypeError, ValueError, ImportError) as fault:
                raise RequestError(str(fault)) from fault
            opened = ModelGame(table, position, start, seat, opponents)
            self.tables[table] = opened
            return self._with_ending(opened, opened.view())

        call = ("new_game", game, players, seat, seed, tuple(variants or ()))
        return self._once(table, call, open_table)

    def see_seat(self, table: TableNumber) -> ToolResult:
        """See all that your seat may know: what has happened, the table, scores and position."""
        with self._lock:
            return self._game(table).view()

    def legal_moves(self, table: TableNumber) -> ToolResult:
        """List your legal moves, and what each does."""
        with self._lock:
            return self._game(table).choices()

    def explain(
        self,
        table: TableNumber,
        name: Annotated[str, Field(description="A name from a move or from the drawing.")],
    ) -> ToolResult:
        """Explain what a card, a move or a thing on the table does and is worth now."""
        with self._lock:
            game = self._game(table)
            topics = game.position.game.presentation.topics(game.position.seen_by(game.seat))
        explanations = {topic.lower(): str(text) for topic, text in topics.items()}
        wanted = name.strip().lower()
        explanation = explanations.get(wanted, "")
        if not explanation:  # it may be a move, which is explained part by part
            parts = [part for part in re.split("[:>]", wanted) if part in explanations]
            explanation = "\n".join(f"{part}: {explanations[part]}" for part in parts)
        if not explanation:
            raise RequestError(
                f"There is nothing called {short_repr(name)}{did_you_mean(name, topics)}. "
                f"You can ask about {', '.join(topics)}."
            )
        return ToolResult(f"{name}: {explanation}", {"name": name, "does": explanation})

    def play(
        self,
        table: TableNumber,
        move: Annotated[str, Field(description="One of legal_moves.")],
        decision: Annotated[int, Field(description="The number of the decision that it answers.")],
    ) -> ToolResult:
        """Play a move. The others play on, and you see what happened and your next choice.

        If you repeat the call with the same arguments, no other move is played.
        """

        def play_move() -> ToolResult:
            game = self._game(table)
            if game.is_over:
                raise RequestError(
                    f"The game at table {table} is over. Begin another with new_game."
                )
            if decision != game.decision:
                raise RequestError(
                    f"Table {table} asks for decision {game.decision}, not {decision}. Nothing "
                    "has changed. Look at the table, then choose."
                )
            try:
                result = game.play(move)
            except IllegalMove as fault:
                raise RequestError(
                    f"{short_repr(move)} is not legal{did_you_mean(move, fault.legal)}. "
                    "Nothing has changed. "
                    f"The legal moves are {', '.join(fault.legal)}."
                ) from fault
            return self._with_ending(game, result)

        return self._once(table, ("play", move, decision), play_move)

    def leave_table(self, table: TableNumber) -> ToolResult:
        """Leave a table. If games count, leaving a game in progress loses it."""

        def leave() -> ToolResult:
            game = self._game(table)
            del self.tables[table]
            text = f"You have left table {table}."
            if not game.is_over and self._results_writer is not None:
                game.failed = game.seat
                game.fault = Fault("crash", "it left the table before the end")
                text += f" {self._results_writer.keep(game)}"
            return ToolResult(text, {"table": table})

        return self._once(table, ("leave_table",), leave)

    def close(self) -> None:
        """Leave all tables, which loses the games in progress, and write the results that wait."""
        for number in list(self.tables):
            self.leave_table(number)
        if self._results_writer is not None:
            self._results_writer.write()

    def _once(
        self, table: int, call: tuple[object, ...], act: Callable[[], ToolResult]
    ) -> ToolResult:
        """Act on a table. If the call repeats the table's last one, only return that one's result.

        Args:
            table: The table's number.
            call: The name of the tool, and its arguments.
            act: Acts and returns the result.
        """
        with self._lock:
            last = self._last_calls.get(table)
            if last is not None and last.call == call:
                return last.result
            result = act()
            self._last_calls[table] = _LastCall(call, result)
            return result

    def _game(self, number: int) -> ModelGame:
        if number not in self.tables:
            numbers = ", ".join(map(str, self.tables))
            remedy = f"The open tables: {numbers}." if numbers else "Open one with new_game."
            raise RequestError(f"There is no table {number}. {remedy}")
        return self.tables[number]

    def _check_game(self, game: str) -> None:
        if game not in self.games:
            raise RequestError(
                f"The game {short_repr(game)} is not played here{did_you_mean(game, self.games)}. "
                f"The games are {', '.join(self.games)}."
            )

    def _start(self, players: int, seed: int | str | None, variants: tuple[str, ...]) -> GameStart:
        if self._results_writer is not None:
            if seed is not None:
                raise RequestError("The server deals games that count. Leave out the seed.")
            if players == 1:
                playing = [
                    game.start for game in self.tables.values() if game.position.players == 1
                ]
                run_seed, deal = self._results_writer.next_solo_deal(playing)
                return GameStart(run_seed, deal, variants)
        return GameStart(fresh_seed() if seed is None else int(seed), deal=0, variants=variants)

    def _names_of_opponents(self, game: str) -> Sequence[str]:
        return self._opponent_names or (default(registry.game(game)),)

    def _opponents(self, game_name: str, number: int) -> list[Opponent]:
        given_names = self._names_of_opponents(game_name)
        game = registry.game(game_name)
        # The last name also stands for the seats that are left.
        names = [given_names[min(at, len(given_names) - 1)] for at in range(number)]
        for name in names:
            if (game_name, name) not in self._made_opponents:
                spec = parse_if_name(name)
                try:
                    agent = make(spec, game)
                except Exception as fault:  # the agent may be anybody's code
                    print(f"{name} cannot play: {fault}", file=sys.stderr)
                    kind = type(fault).__name__
                    raise RequestError(
                        f"{public_name(name)} cannot play ({kind}). The server's errors say more."
                    ) from fault
                digest = agent_digest(spec, agent, game)
                self._made_opponents[game_name, name] = Opponent(name, digest, agent)
        return [self._made_opponents[game_name, name] for name in names]

    def _with_ending(self, game: ModelGame, result: ToolResult) -> ToolResult:
        """Return a result. If the game is over and counts, keep it and add a note that says so."""
        if not game.is_over or self._results_writer is None:
            return result
        kept = self._results_writer.keep(game)
        return ToolResult(f"{result.text}\n{kept}", {**result.facts, "kept": kept})
