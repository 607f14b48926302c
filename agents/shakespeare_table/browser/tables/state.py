"""A table at one moment: the moves so far, secret choices that wait, and who may do what.

Where several seats choose in secret at the same time, nobody waits for anybody: the table keeps
each choice until all people have chosen, and then plays them in the order in which the rules ask.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from shakespeare_env import Position
from shakespeare_env.checks.values import short_repr
from shakespeare_env.errors import PositionError
from shakespeare_env.play.history import GameHistory
from shakespeare_env.play.simultaneous import simultaneous_choices
from shakespeare_env.play.standings import places
from shakespeare_table.browser.storage.plan import Occupant, TableError, TablePlan
from shakespeare_table.browser.storage.store import Result


@dataclass(frozen=True, kw_only=True, eq=False)
class TableState(GameHistory):
    """A table at one moment.

    Two states are equal if they are of the same table, after the same moves and with the same
    names of players. Functions with a cache depend on nothing else in a state.

    Attributes:
        id: The id of the table.
        plan: The table's setup.
        undone: The number of times that moves were taken back.
        fault: Why the agent to move has failed; empty if it has not.
        chosen: The secret choices by seat that wait for the other people's. Nobody else may know
            more of them than that they have been made.
        held: The seats that a browser has claimed.
        rematch: The id of the table on which the same players play again; None if there is none.
    """

    id: str
    plan: TablePlan
    undone: int = 0
    fault: str = ""
    chosen: Mapping[int, str] = field(default_factory=dict)
    held: frozenset[int] = frozenset()
    rematch: str | None = None

    def __eq__(self, other: object) -> bool:
        """Return whether the other state is of the same table after the same moves."""
        return isinstance(other, TableState) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        return self.id, self.undone, len(self.moves), *self.plan.names

    @property
    def occupant_to_move(self) -> Occupant | None:
        """The player to move; None once the game is over."""
        seat = self.position.to_move
        return None if seat is None else self.plan.seats[seat]

    @property
    def name_to_move(self) -> str:
        """The name of the player to move; empty once the game is over."""
        seat = self.position.to_move
        return "" if seat is None else self.plan.names[seat]

    @cached_property
    def choosing(self) -> Mapping[int, Position]:
        """The seats that choose now, each with a position in which it is to move.

        There are several if they choose in secret at the same time.
        """
        return simultaneous_choices(self.position)

    def awaits(self, seat: int) -> bool:
        """Return whether a seat has to choose now."""
        return seat in self.choosing and seat not in self.chosen

    @property
    def undecided(self) -> list[int]:
        """The seats of people who have to choose now, in the order in which the rules ask."""
        people = self.plan.people
        return [seat for seat in self.choosing if seat in people and self.awaits(seat)]

    @property
    def open_seats(self) -> list[int]:
        """The seats for people that nobody has claimed."""
        return [seat for seat in self.plan.people if seat not in self.held]

    @property
    def version(self) -> str:
        """A text that changes whenever the pages of the table change."""
        public = (self.fault, self.plan.seats, sorted(self.chosen), sorted(self.held), self.rematch)
        shown = repr(public).encode()
        return f"{len(self.moves)}.{self.undone}.{zlib.crc32(shown):x}"

    def up_to(self, number: int) -> TableState:
        """Return the table after its first `number` moves."""
        chosen = self.chosen if number == len(self.moves) else {}
        return replace(super().up_to(number), chosen=chosen)

    def after_rematch(self, seats: Sequence[int]) -> tuple[int, ...]:
        """Return the seats that the players of some seats have in the rematch.

        The player of the first seat gets the last one, and all others move up.
        """
        return tuple(sorted((seat - 1) % self.plan.players for seat in seats))

    def played(self, seat: int, move: str) -> TableState:
        """Return the table after a seat has chosen a move.

        A secret choice waits until all people who choose at the same time have chosen.

        Raises:
            TableError: It is not the seat's turn, or the move is not legal.
        """
        if not self.awaits(seat):
            raise TableError("it is not your turn")
        if move not in self.choosing[seat].moves():
            raise TableError(f"{short_repr(move)} is not legal now")
        state = replace(self, chosen={**self.chosen, seat: move})
        is_waiting = bool(state.undecided)
        mover = state.position.to_move
        while (
            mover is not None
            and mover in state.chosen
            and not (is_waiting and mover in state.plan.people)
        ):
            others = {each: choice for each, choice in state.chosen.items() if each != mover}
            state = replace(state.pushed(state.chosen[mover]), chosen=others, fault="")
            mover = state.position.to_move
        return state

    def taken_back(self, seat: int) -> TableState:
        """Return the table without a seat's last move and the moves of agents since.

        Raises:
            TableError: The move cannot be taken back. The message says why.
        """
        if self.is_over:
            raise TableError("the game is over")
        if self.chosen:
            raise TableError("your last move stays played: another seat has decided since")
        agents = {
            other for other, occupant in enumerate(self.plan.seats) if occupant.agent is not None
        }
        try:
            number = self.undoable_move(seat, agents)
        except ValueError as fault:
            raise TableError(str(fault)) from fault
        return replace(self.up_to(number), undone=self.undone + 1, fault="")


def first_state(plan: TablePlan, table_id: str = "") -> TableState:
    """Return a table before its first move.

    Raises:
        TableError: The game cannot begin like this.
    """
    try:
        if plan.start is not None:
            first = Position.from_dict(plan.start, seed=plan.seed)
        else:
            variants: Any = dict.fromkeys(plan.variants, True)
            first = Position.new(plan.game, players=plan.players, seed=plan.seed, **variants)
    except (TypeError, ValueError, PositionError) as fault:
        raise TableError(str(fault)) from fault
    if (first.game.name, first.players) != (plan.game, plan.players):
        raise TableError(
            f"the position to begin with is of {first.game.name} with {first.players} seats, not "
            f"of {plan.game} with {plan.players}"
        )
    return TableState([first], [], plan.names, id=table_id, plan=plan)


def result_of(game: GameHistory) -> Result:
    """Return the scores of a finished game, with the sign that people read, and the places."""
    position = game.position
    winners = position.winners or []
    scores = position.scores()
    sign = position.game.presentation.score_sign
    return Result(
        scores=tuple(sign * score for score in scores), places=tuple(places(scores, winners))
    )


@lru_cache(256)
def can_take_back(state: TableState, seat: int) -> bool:
    """Return whether `LiveTable.take_back` would succeed."""
    try:
        state.taken_back(seat)
    except TableError:
        return False
    return True
