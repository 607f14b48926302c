"""`shakespeare mcp --json-lines`: the engine for other programs, in JSON (docs/protocol.md)."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

import typer

from shakespeare_env.checks.json_input import FieldError, Fields, dump_line, kind, parse_json
from shakespeare_env.cli.choices import DEFAULT_GAME
from shakespeare_env.core import registry
from shakespeare_env.errors import IllegalMove, PositionError

MOST_BYTES = 2**20
"""The most bytes of a line; a position has some thousands."""


def lines_of(stream: BinaryIO) -> Iterator[bytes]:
    """Lines without their newlines.

    A longer line is cut to `MOST_BYTES` + 1 bytes and its rest skipped with the next request.
    """
    while line := stream.readline(MOST_BYTES + 1):
        yield line.removesuffix(b"\n")
        while len(line) > MOST_BYTES and not line.endswith(b"\n"):
            line = stream.readline(MOST_BYTES + 1)


if TYPE_CHECKING:
    from shakespeare_env import Position

Result = dict[str, Any]


class RequestError(Exception):
    """A line that cannot be answered: the kind of error and details."""

    def __init__(self, type_: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.type = type_
        self.details = details


def _parsed(line: bytes) -> dict[str, Any]:
    """The JSON object in a line; RequestError `BadJSON` or `BadRequest` if there is none."""
    try:
        if len(line) > MOST_BYTES:
            raise ValueError(f"longer than {MOST_BYTES:,} bytes")
        value = parse_json(line)
    except ValueError as error:
        raise RequestError("BadJSON", f"this is {error}") from error
    if not isinstance(value, dict):
        raise RequestError("BadRequest", f"a line must be an object, this is {kind(value)}")
    return value


def serve() -> None:
    """Answer commands, one JSON object a line, until `quit` or the end of the input."""
    engine = Engine()
    for line in lines_of(sys.stdin.buffer):
        typer.echo(engine.answer(line))
        if engine.over:
            break


class Engine:
    """One game at a time; `over` once `quit` was received."""

    def __init__(self) -> None:
        self.position: Position | None = None
        self.over = False
        # By command what answers it, and its fields.
        self._commands: dict[str, tuple[Callable[[Fields], Result], tuple[str, ...]]] = {
            "new": (self._new, ("game", "players", "seed", "options")),
            "position": (self._set_position, ("position", "seed")),
            "moves": (self._moves, ()),
            "play": (self._play, ("move", "moves")),
            "observe": (self._observe, ("seat",)),
            "state": (self._state, ()),
            "quit": (self._quit, ()),
        }

    def answer(self, line: bytes) -> str:
        """The answer to a line, without newline; an error changes nothing."""
        answer: dict[str, Any] = {}
        try:
            request = Fields(_parsed(line))
            if "id" in request:
                answer["id"] = request.identifier("id")
            answer["result"] = self._run(request)
        except RequestError as error:
            answer["error"] = {"type": error.type, "message": str(error), **error.details}
        except FieldError as error:
            fault = {"type": "BadRequest", "message": str(error), "field": error.field}
            answer["error"] = fault
        except Exception as error:
            # A bug of ours must not lose the caller's game, so its details go to standard error.
            traceback.print_exc(file=sys.stderr)
            answer["error"] = {"type": "InternalError", "message": repr(error)}
        return dump_line(answer)

    def _run(self, request: Fields) -> Result:
        name = request.text("command")
        if name not in self._commands:
            raise RequestError(
                "UnknownCommand",
                f"no command {request.shown(name)}; the commands: {', '.join(self._commands)}",
                commands=list(self._commands),
            )
        answer, fields = self._commands[name]
        request.only("command", "id", *fields)
        return answer(request)

    def _new(self, request: Fields) -> Result:
        from shakespeare_env import Position  # slow, and not needed for completion

        name = request.text("game", DEFAULT_GAME)
        if name not in registry.names():
            raise request.wrong("game", f"is not one of {', '.join(registry.names())}")
        game = registry.game(name)
        players = request.integer("players", game.min_seats, game.max_seats)
        options = request.get("options", dict[str, Any], {})
        seed = _seed(request)
        try:
            game.option_bits(options, [players])
        except (TypeError, ValueError) as error:
            raise RequestError("BadRequest", str(error), field="options") from error
        self.position = Position.new(name, players=players, seed=seed, **options)
        return self._summary()

    def _set_position(self, request: Fields) -> Result:
        from shakespeare_env import Position

        position = request.get("position", dict[str, Any])
        try:
            self.position = Position.from_dict(position, seed=_seed(request))
        except PositionError as error:
            raise RequestError("PositionError", str(error)) from error
        return self._summary()

    def _moves(self, _request: Fields) -> Result:
        position = self._running()
        return {"to_move": position.to_move, "moves": position.moves()}

    def _play(self, request: Fields) -> Result:
        if "moves" in request and "move" in request:
            raise RequestError("BadRequest", "give either move or moves, not both", field="moves")
        moves = request.get("moves", list[str]) if "moves" in request else [request.text("move")]
        position = self._running().copy()
        for index, move in enumerate(moves):
            try:
                position.push(move)
            except IllegalMove as error:
                raise RequestError(
                    "IllegalMove",
                    str(error),
                    move=move,
                    index=index,
                    seat=error.seat,
                    phase=error.phase,
                    legal=error.legal,
                ) from error
        self.position = position
        return self._summary()

    def _observe(self, request: Fields) -> Result:
        position = self._running()
        seat = request.integer("seat", 0, position.players - 1)
        return {"seat": seat, "observation": position.observation(seat).tolist()}

    def _state(self, _request: Fields) -> Result:
        position = self._running()
        digest = registry.box_digest(position.game.name)
        return {"position": position.to_dict(), "box_digest": digest}

    def _quit(self, _request: Fields) -> Result:
        self.over = True
        return {}

    def _running(self) -> Position:
        if self.position is None:
            raise RequestError("NoGame", "there is no game yet; send new or position first")
        return self.position

    def _summary(self) -> Result:
        position = self._running()
        scores = position.scores()
        return {"to_move": position.to_move, "winners": position.winners, "scores": scores}


def _seed(request: Fields) -> int:
    return request.integer("seed", 0, 2**64 - 1, default=0)
