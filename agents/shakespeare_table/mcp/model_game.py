"""A game between a language model and agents, reported in words.

Reports contain only what the model's seat may know.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from shakespeare_agents.naming import public_name
from shakespeare_agents.programs import Fault
from shakespeare_env import IllegalMove, Position
from shakespeare_env.core.rng import JSON_SAFE_LIMIT
from shakespeare_env.core.seat_names import YOU
from shakespeare_env.play.agent import AnyAgent
from shakespeare_env.play.history import GameLog
from shakespeare_table.session import Session


class ToolResult(NamedTuple):
    """The result of a tool, as text for a reader and as facts for a program."""

    text: str
    facts: dict[str, Any]


@dataclass(frozen=True)
class Opponent:
    """An agent at a table.

    Attributes:
        name: Its name, as `making.make` takes it.
        digest: The digest that identifies it in results.
        agent: The agent.
    """

    name: str
    digest: str
    agent: AnyAgent


@dataclass(frozen=True)
class GameStart:
    """The start of a game.

    Attributes:
        seed: The seed of the deal.
        deal: The index of the deal under the seed. Row `deal` of `Batch(seed=seed)` begins with it.
        variants: The names of the variants that are on.
    """

    seed: int
    deal: int
    variants: tuple[str, ...]


class ModelGame(Session):
    """A game in which a language model holds one seat, through tool calls.

    Args:
        number: The number of the game's table.
        position: The first position.
        start: The seed, deal and variants that the position comes from.
        seat: The model's seat.
        opponents: The agents at the other seats, in order.

    Attributes:
        number: The number of the game's table.
        seat: The model's seat.
        start: The seed, the deal and the variants.
        opponents: The agents by seat.
        fault: The fault by which the seat `failed` has lost the game; None if no seat has.
    """

    def __init__(
        self,
        number: int,
        position: Position,
        start: GameStart,
        seat: int,
        opponents: Sequence[Opponent],
    ) -> None:
        others = [other for other in range(position.players) if other != seat]
        self.number = number
        self.seat = seat
        self.start = start
        self.opponents = dict(zip(others, opponents, strict=True))
        names = [public_name(opponent.name) for opponent in opponents]
        names.insert(seat, YOU)
        agents = {other: opponent.agent for other, opponent in self.opponents.items()}
        super().__init__(position, agents, start.seed, names=names)
        self.fault: Fault | None = None
        self._chosen_at = 0  # the index of the move that the model chose last
        self._label = GameLog(names).label
        self._play_on()

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, or a seat has lost it by a fault."""
        return self.fault is not None or self.position.to_move is None

    @property
    def decision(self) -> int:
        """The number of the next move, counted from 1 over the moves of all seats."""
        return len(self.moves) + 1

    def play(self, move: str) -> ToolResult:
        """Play a move of the model's seat, and let agents play until the seat decides again.

        Returns:
            What has happened, the scores, and the next legal moves.

        Raises:
            IllegalMove: The move is not legal. Nothing has changed.
        """
        chosen_at = len(self.moves)
        self.push(move)
        self._chosen_at = chosen_at
        self._play_on()
        happened = self._moves_in_words()
        choices = self.choices()
        text = "\n".join([*happened, "", *self._scores(), "", choices.text])
        return ToolResult(text, {**choices.facts, "happened": happened})

    def view(self) -> ToolResult:
        """Return everything that the model's seat may know of the game."""
        position = self.position
        seen = position.to_dict() if position.to_move is None else position.seen_by(self.seat)
        happened = self._moves_in_words()
        seats = f"{position.players} seat{'s' * (position.players > 1)}"
        setup = ", ".join([position.game.name, seats, *self.start.variants])
        others = ", ".join(map(self._label, self.opponents))
        opponents = f"; the others: {others}" if others else ", alone"
        lines = [f"Table {self.number}: {setup}. You hold seat {self.seat}{opponents}."]
        if happened:
            chosen_before = self.history.moves_of(self.seat)
            lines += ["", "Since your last choice:" if chosen_before else "So far:", *happened]
        lines += ["", position.game.presentation.draw(seen)]
        lines += ["", *self._scores()]
        lines += ["", self._turn()]
        lines += [
            "",
            'The position in notation, where "?" is what you may not know:',
            json.dumps(seen, ensure_ascii=False, separators=(",", ":")),
        ]
        facts = {**self._facts(), "happened": happened, "position": seen}
        return ToolResult("\n".join(lines), facts)

    def choices(self) -> ToolResult:
        """Return the legal moves of the model's seat, with descriptions."""
        moves = [] if self.is_over else self.position.moves()
        descriptions = {move: self.position.describe_move(move) for move in moves}
        lines = [self._turn()]
        lines += [f"{move}  {description}" for move, description in descriptions.items()]
        facts = [{"move": move, "does": description} for move, description in descriptions.items()]
        return ToolResult("\n".join(lines), {**self._facts(), "legal_moves": facts})

    def brief(self) -> dict[str, Any]:
        """Return the facts that distinguish the game from those of other tables."""
        return {
            "table": self.number,
            "game": self.position.game.name,
            "players": self.position.players,
            "seat": self.seat,
            "over": self.is_over,
        }

    def _play_on(self) -> None:
        """Let agents play until the model's seat decides again. If one fails, keep its fault."""
        try:
            self.play_out()
        except Exception as error:  # the agent may be anybody's code
            kind = "illegal" if isinstance(error, IllegalMove) else "error"
            self.fault = Fault(kind, f"{type(error).__name__}: {error}")

    def _moves_in_words(self) -> list[str]:
        """Return the moves from the seat's last choice on, and their effects, as lines."""
        lines = []
        for number in range(self._chosen_at, len(self.moves)):
            lines += self.history.lines(number, self.seat)
        return lines

    def _facts(self) -> dict[str, Any]:
        position = self.position
        facts = {
            **self.brief(),
            "seats": self.history.names,
            "variants": list(self.start.variants),
            "phase": position.phase,
            "scores": position.scores(),
            "winners": position.winners,
        }
        if position.to_move is None:  # nothing is secret any more
            # Programs that read JSON may round larger numbers.
            seed = self.start.seed if self.start.seed < JSON_SAFE_LIMIT else str(self.start.seed)
            return {**facts, "seed": seed, "deal": self.start.deal}
        if self.is_over:  # a fault has ended the game, and the hands stay secret
            return facts
        return {**facts, "decision": self.decision}

    def _scores(self) -> list[str]:
        position = self.position
        is_final = position.to_move is None
        title = "Final scores" if is_final else "Scores so far"
        lines = [f"{title}, seat by seat:"]
        lines.append("  " + "  ".join(map(str, position.scores())))
        if is_final:
            sheet = self.history.score_sheet(self.seat)
            lines += [f"  {source}: {'  '.join(map(str, points))}" for source, points in sheet]
        if position.players == 1:
            lines.append(f"A good solo game passes {position.game.solo_target:g}.")
        return lines

    def _turn(self) -> str:
        """Return a sentence that says what the seat has to decide, or how the game has ended."""
        position = self.position
        if self.failed is not None:
            loser = "You have" if self.failed == self.seat else f"{self._label(self.failed)} has"
            return f"The game has stopped: {loser} lost it by a fault."

        if position.to_move is None and position.players == 1:
            return "The game is over."
        if position.to_move is None:
            winners = ", ".join(map(self._label, position.winners or []))
            return f"The game is over: {winners} wins."
        count = len(position.moves())
        return (
            f"You make decision {self.decision}, in phase {position.phase!r}: {count} legal moves."
        )
