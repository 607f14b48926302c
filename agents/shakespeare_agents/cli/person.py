"""A person at the table: what they are shown, asked, and may ask."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

from shakespeare_agents.cli import line_editing
from shakespeare_agents.cli.answers import Answers, Leave
from shakespeare_agents.cli.hints import hint
from shakespeare_agents.cli.meaning import (
    NoMoveError,
    meant_move,
    meant_topics,
    names_move,
    topics_of_move,
)
from shakespeare_agents.registry import default
from shakespeare_agents.single_game import SingleGame
from shakespeare_agents.taking_back import take_back
from shakespeare_env import Position
from shakespeare_env.cli import printing, screen
from shakespeare_env.cli.move_list import move_lines
from shakespeare_env.cli.recorded import Recorded, write_json_lines
from shakespeare_env.game_log import GameLog
from shakespeare_env.values import shown

_HELP = """\
Enter the number of a move, its text such as {example}, or as much of
that as no other move has; several moves are separated by spaces. Or:
  ? NAME       what a card, a move or a thing on the table does; so ? NUMBER
  table, full  the table again; all that lies on it
  moves        your moves again, with their texts
  log [COUNT]  the last moves and their effects
  scores       what everybody's score is made of so far
  hint [AGENT] what an agent would play in your place
  undo         take your last move back, where that gives no secret away
  save FILE    write the game, secrets and all, for `shakespeare replay`
  quit         leave the game; so do Ctrl-D and Ctrl-C"""
_LOG_LENGTH = 12
_MOST_EXPLAINED = 6
"""The most topics explained at once; of more only the names are shown."""


class GivenMoveError(Exception):
    """What is wrong with a move given in advance."""


class Person:
    """Holds one seat of a game.

    Args:
        played: The game.
        seat: The person's.
        names: The players' names by seat.
        given: The person's first moves, not asked for.
    """

    def __init__(
        self, played: SingleGame, seat: int, names: Sequence[str], given: Sequence[str] = ()
    ) -> None:
        self.played = played
        self.seat = seat
        self.names = names
        self.log = GameLog(names, seat)
        self._tell = partial(printing.tell_move, self.log)
        self._given = list(given)
        self._saved: set[Path] = set()
        self._drawn: int | None = None
        self._answers = Answers()
        self._commands: dict[str, Callable[[], None]] = {
            "?": self._explain,
            "help": self._explain,
            "table": self.show_table,
            "full": self._show_all,
            "moves": self._show_moves,
            "log": self._show_log,
            "scores": self.print_scores,
            "hint": self._hint,
            "undo": self._undo,
            "save": self._save,
            "quit": self._quit,
            "exit": self._quit,
        }

    @property
    def moves(self) -> list[str]:
        """The person's moves so far."""
        played = zip(self.played.positions, self.played.moves, strict=False)
        return [move for position, move in played if position.to_move == self.seat]

    def play_given(self) -> None:
        """Play the moves given and print nothing; raises `GivenMoveError`."""
        while self._given:
            self.played.play_out(_print_nothing)
            if self.played.position.to_move is None:
                raise GivenMoveError(
                    f"the game is over before {shown(self._given[0])}; leave out the rest"
                )
            self.played.push(self._given_move(), _print_nothing)

    def tell_course(self) -> None:
        """Print the moves played so far."""
        self._tell_moves(0)

    def play(self) -> None:
        """Play on to the end; raises `Leave`."""
        line_editing.complete_from(self._words)
        while True:
            self.played.play_out(self._tell)
            if self.played.position.to_move is None:
                return
            self.played.push(self._asked(), self._tell)

    def save(self, path: Path) -> None:
        """Write the game so far, unless a file of another game is there.

        Raises:
            ValueError: it cannot be written.
        """
        if not path.name.endswith((".jsonl", ".jsonl.gz")):
            raise ValueError(f"{shown(str(path))}: give a file .jsonl or .jsonl.gz")
        if path not in self._saved and os.path.lexists(path):
            raise ValueError(f"there is a {shown(str(path))} already; give another name")
        moves = list(self.played.moves)  # an interruption may leave out the last
        game = Recorded(self.played.positions[: len(moves) + 1], moves, self.names)
        try:
            write_json_lines(path, game)
        except (OSError, ValueError) as fault:  # ValueError: no file can have this name
            raise ValueError(f"cannot write {shown(str(path))}: {fault}") from fault
        self._saved.add(path)

    def show_table(self) -> None:
        """Draw the table as the person sees it."""
        position = self.played.position
        screen.tell_position(position.game, position.seen_by(self.seat))

    def print_scores(self) -> None:
        """Print the parts of all scores, as far as the person knows them."""
        sheet = self.log.score_sheet(self.played.positions, self.played.moves)
        printing.print_scores(self.played.position, self.names, sheet)

    def _given_move(self) -> str:
        number, word = len(self.moves) + 1, self._given.pop(0)
        try:
            return meant_move(word, self.played.position)
        except NoMoveError as fault:
            kinds = "a file nor a move" if number == 1 else "a move nor a number"
            raise GivenMoveError(f"move {number}: {shown(word)} is neither {kinds}") from fault
        except ValueError as fault:
            raise GivenMoveError(f"move {number}: {fault}") from fault

    def _asked(self) -> str:
        """The person's move."""
        number = None
        while True:
            position = self.played.position
            if number != self.played.n_moves and not self._answers.waiting:
                if self._has_turned():
                    self._drawn = len(self.played.moves)
                    self.show_table()
                else:
                    screen.tell()
                screen.tell("\n".join(move_lines(position, screen.size()[0])))
            number = self.played.n_moves
            word = self._answers.next("Your move (? for help): ")
            try:
                # A move may have the name of a command.
                if word in position.moves() or word not in self._commands:
                    return meant_move(word, position, self._commands)
                self._commands[word]()
            except ValueError as fault:
                for line in str(fault).splitlines():
                    screen.tell_wrapped(line, 2)
                self._answers.rest()

    def _has_turned(self) -> bool:
        """Whether so much has changed since a table was drawn unasked that it needs another.

        It has after another seat's decision, after an effect on other seats, and at the person's
        next turn: a decision of the same kind after one of another kind.
        """
        if self._drawn is None:
            return True
        since, moves = self.played.positions[self._drawn :], self.played.moves[self._drawn :]
        steps = zip(pairwise(since), moves, strict=True)
        events = [
            e for (before, after), move in steps for e in self.log.events(before, move, after)
        ]
        if {position.to_move for position in since} | {event.seat for event in events} != {
            self.seat
        }:
            return True
        alike = [bool(_kinds(since[0]) & _kinds(position)) for position in since]
        return alike[-1] and not all(alike)

    def _words(self) -> list[str]:
        """What Tab completes."""
        position = self.played.position
        topics = position.game.presentation.topics(position.seen_by(self.seat))
        return [*position.moves(), *self._commands, *topics]

    def _explain(self) -> None:
        position, words = self.played.position, self._answers.rest()
        if not words:
            screen.tell(_HELP.format(example=position.moves()[0]))
            return
        topics = position.game.presentation.topics(position.seen_by(self.seat))
        if words not in topics and names_move(words):
            move = words if position.is_move(words) else meant_move(words, position)
            screen.tell_wrapped(f"{position.describe_move(move)}  ({move})", 2)
            found = topics_of_move(move, topics)
        else:
            found = meant_topics(words, topics)
        if len(found) > _MOST_EXPLAINED:
            screen.tell_wrapped(f"{words!r} could be: {', '.join(found)}", 2)
            return
        for name in found:
            for number, line in enumerate(topics[name].splitlines()):
                screen.tell_wrapped(f"  {line}" if number else f"{name}: {line}", 2)

    def _show_all(self) -> None:
        position = self.played.position
        screen.tell(f"\n{position.game.presentation.draw(position.seen_by(self.seat))}\n")

    def _show_moves(self) -> None:
        printing.print_numbered_moves(self.played.position)

    def _show_log(self) -> None:
        words = self._answers.rest() or str(_LOG_LENGTH)
        if not (words.isascii() and words.isdigit() and len(words) < 10):
            raise ValueError(f"log {shown(words)}: give a number of moves, as in log {_LOG_LENGTH}")
        self._tell_moves(max(0, len(self.played.moves) - int(words)))

    def _tell_moves(self, first: int) -> None:
        """Print the moves from number `first` on, counted from 0."""
        positions, moves = self.played.positions, self.played.moves
        for at in range(first, len(moves)):
            self._tell(positions[at], at + 1, moves[at], positions[at + 1])

    def _hint(self) -> None:
        position: Position = self.played.position
        for line in hint(position, self._answers.rest() or default(position.game)):
            screen.tell_wrapped(line, 12)

    def _undo(self) -> None:
        move = take_back(self.played, self.seat)
        self._drawn = None
        screen.tell(f"Taken back: {move}")

    def _save(self) -> None:
        words = self._answers.rest()
        if not words:
            raise ValueError("name a file, as in save game.jsonl")
        self.save(Path(words))
        screen.tell(f"Saved; to look at it: shakespeare replay {words}")

    def _quit(self) -> None:
        raise Leave


def _print_nothing(_before: Position, _number: int, _move: str, _after: Position) -> None:
    """Print nothing of a move."""


def _kinds(position: Position) -> set[str]:
    """The kinds of the legal moves: their first words."""
    return {move.partition(":")[0] for move in position.moves()}
