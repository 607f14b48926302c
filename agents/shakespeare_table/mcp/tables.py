"""The tables of one server: what can be asked of them, one request at a time, without MCP."""

from __future__ import annotations

import ast
import re
import threading
from collections.abc import Sequence
from typing import Any

from shakespeare_agents.identity import agent_digest
from shakespeare_agents.registry import default, make
from shakespeare_arena.games.referee import Fault
from shakespeare_env.checks.values import did_you_mean, shown
from shakespeare_env.core import registry
from shakespeare_env.core.rng import fresh_seed
from shakespeare_env.datasets.recorded_columns import dealt
from shakespeare_env.errors import IllegalMove, ShakespeareEnvError
from shakespeare_table.mcp.keeping import Keeper
from shakespeare_table.mcp.table import Answer, Opponent, Start, Table

_ROW = re.compile(r"^\| (?P<number>[A-Z]+\d+\w*(?: Ruling)?) \| (?P<rule>.*?) \| `", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_REFERENCES = re.compile(r"^\[Shared by all games\].*$\n\n?", re.MULTILINE)


class RequestError(ShakespeareEnvError, ValueError):
    """A request that cannot be met: why, and what can be done instead."""


class Tables:
    """Games against agents, each begun, looked at and played on by its number.

    Args:
        named: The agents at the other seats, in order; the last fills the rest. By default the
            default agent.
        games: What may be played; all games if empty.
        keeper: Puts finished games into an arena's results, if given.

    All methods raise `RequestError` for what cannot be. Calls from several threads wait for each
    other.
    """

    def __init__(
        self, named: Sequence[str] = (), games: Sequence[str] = (), keeper: Keeper | None = None
    ) -> None:
        self.games = tuple(games or registry.names())
        self._named = tuple(named)
        self._keeper = keeper
        self._tables: dict[int, Table] = {}
        self._begun = 0
        self._made: dict[tuple[str, str], Opponent] = {}
        self._lock = threading.RLock()

    def list_games(self) -> Answer:
        """What can be played, and the tables there are."""
        with self._lock:
            games: list[dict[str, Any]] = [
                {
                    "game": name,
                    "players": list(registry.seats(name)),
                    "variants": list(registry.variants(name)),
                    "opponents": list(self._named_for(name)),
                }
                for name in self.games
            ]
            tables = [table.brief() for table in self._tables.values()]
        lines = ["Games:"]
        for one in games:
            variants = f"; variants: {', '.join(one['variants'])}" if one["variants"] else ""
            lines.append(
                f"  {one['game']}: {one['players'][0]} to {one['players'][-1]} seats{variants}; "
                f"opponents: {', '.join(one['opponents'])}"
            )
        lines.append("Tables:" if tables else "No tables yet; new_game opens one.")
        for one in tables:
            state = "over" if one["over"] else "you decide"
            lines.append(f"  table {one['table']}: {one['game']}, seat {one['seat']}, {state}")
        return Answer("\n".join(lines), {"games": games, "tables": tables})

    def new_game(
        self,
        game: str,
        players: int,
        seat: int = 0,
        seed: int | None = None,
        variants: Sequence[str] = (),
    ) -> Answer:
        """Begin a game; the others play up to the outside seat's first choice."""
        with self._lock:
            self._check_game(game)
            try:
                players = registry.game(game).check_players(players)
                if not 0 <= seat < players:
                    raise RequestError(f"no seat {seat}; the seats are 0 to {players - 1}")
                start = self._start(players, seed, tuple(variants))
                position = dealt(game, players, start.seed, start.deal, start.variants)
                opponents = self._opponents(game, players - 1)
            except (TypeError, ValueError, ImportError) as fault:
                raise RequestError(str(fault)) from fault
            self._begun += 1
            table = Table(self._begun, position, start, seat, opponents)
            self._tables[self._begun] = table
            return self._with_ending(table, table.view())

    def read_rules(self, game: str) -> Answer:
        """A game's rules, and how its moves and positions are written, as Markdown."""
        self._check_game(game)
        facts = {"rules": rules(game), "notation": notation(game)}
        return Answer(f"{facts['rules']}\n{facts['notation']}", facts)

    def see_seat(self, table: int) -> Answer:
        """All that the outside seat of a table sees."""
        with self._lock:
            return self._table(table).view()

    def legal_moves(self, table: int) -> Answer:
        """Its legal moves, and what each does."""
        with self._lock:
            return self._table(table).choices()

    def explain(self, table: int, name: str) -> Answer:
        """What a card, a move or a thing on the table does now; of a move each of its parts."""
        with self._lock:
            topics = self._table(table).topics()
            by_word = {word.lower(): does for word, does in topics.items()}
            asked = name.strip().lower()
            does = by_word.get(asked) or "\n".join(  # a move, part by part
                f"{part}: {by_word[part]}" for part in re.split("[:>]", asked) if part in by_word
            )
            if not does:
                raise RequestError(
                    f"there is no {shown(name)}{did_you_mean(name, topics)}; there are: "
                    f"{', '.join(topics)}"
                )
            return Answer(f"{name}: {does}", {"name": name, "does": does})

    def play(self, table: int, move: str) -> Answer:
        """Play a move; the others play up to the outside seat's next choice or the end."""
        with self._lock:
            found = self._table(table)
            if found.is_over:
                raise RequestError(f"table {table}: the game is over; new_game begins another")
            try:
                answer = found.play(move)
            except IllegalMove as fault:
                raise RequestError(
                    f"{shown(move)} is not legal{did_you_mean(move, fault.legal)}; "
                    "nothing has changed. "
                    f"Legal moves: {', '.join(fault.legal)}"
                ) from fault
            return self._with_ending(found, answer)

    def leave_table(self, table: int) -> Answer:
        """Give up a game in progress, or forget a finished one."""
        with self._lock:
            found = self._table(table)
            del self._tables[table]
            text = f"You have left table {table}."
            if not found.is_over and self._keeper is not None:
                found.forfeit(Fault("crash", "it left the table before the end"))
                text += f" {self._keeper.keep(found)}"
            return Answer(text, {"table": table})

    def close(self) -> None:
        """Leave all tables, as when whoever plays has gone."""
        for number in list(self._tables):
            self.leave_table(number)
        if self._keeper is not None:
            self._keeper.write()

    def _table(self, number: int) -> Table:
        if number not in self._tables:
            known = ", ".join(map(str, self._tables)) or "none; new_game opens one"
            raise RequestError(f"there is no table {number}; there are: {known}")
        return self._tables[number]

    def _check_game(self, game: str) -> None:
        if game not in self.games:
            raise RequestError(
                f"no game {shown(game)}{did_you_mean(game, self.games)} is played here; there are: "
                f"{', '.join(self.games)}"
            )

    def _start(self, players: int, seed: int | None, variants: tuple[str, ...]) -> Start:
        if self._keeper is not None:
            if seed is not None:
                raise RequestError("games that count are dealt by the server: leave out the seed")
            if players == 1:
                taken = [t.start for t in self._tables.values() if t.position.players == 1]
                return Start(*self._keeper.next_solo_deal(taken), variants)
        if seed is None:
            seed = fresh_seed()
        return Start(seed, 0, variants)

    def _named_for(self, game: str) -> Sequence[str]:
        return self._named or (default(registry.game(game)),)

    def _opponents(self, game: str, number: int) -> list[Opponent]:
        """The agents of all other seats; those of one name are made once."""
        named, rules = self._named_for(game), registry.game(game)
        names = [named[min(at, len(named) - 1)] for at in range(number)]
        for name in names:
            if (game, name) not in self._made:
                agent = make(name, rules)
                self._made[game, name] = Opponent(name, agent_digest(name, agent, rules), agent)
        return [self._made[game, name] for name in names]

    def _with_ending(self, table: Table, answer: Answer) -> Answer:
        """An answer and, if the game has just ended, a note of where it is kept."""
        if not table.is_over or self._keeper is None:
            return answer
        kept = self._keeper.keep(table)
        return Answer(f"{answer.text}\n{kept}", {**answer.facts, "kept": kept})


def rules(game: str) -> str:
    """A game's rules as Markdown, a line each with its number; ValueError without such a game."""
    if not registry.has_box(game):
        return f"# Rules of {game}\n\n{_said_by(game)}\n"
    lines = [f"- {row['number']}: {row['rule']}" for row in _ROW.finditer(_read(game, "RULES.md"))]
    return "\n".join([f"# Rules of {game}", "", *lines]) + "\n"


def notation(game: str) -> str:
    """How a game's moves and positions are written, as Markdown; ValueError without such a game."""
    if not registry.has_box(game):
        moves = registry.game(game).actions
        said = zip(moves.texts, moves.descriptions, strict=True)
        return "\n".join([f"# Moves of {game}", "", *(f"- `{t}`: {d}" for t, d in said)]) + "\n"
    return _LINK.sub(r"\1", _REFERENCES.sub("", _read(game, "NOTATION.md")))


def _said_by(game: str) -> str:
    """What the file of a game without a rule book says of itself."""
    return ast.get_docstring(ast.parse(registry.own_box(game).read_bytes())) or ""


def _read(game: str, file: str) -> str:
    return (registry.folder(game) / file).read_text(encoding="utf-8")
