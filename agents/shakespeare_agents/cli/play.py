"""`shakespeare play`: a person against agents, seeing what the person's seat may know."""

from __future__ import annotations

import shlex
import textwrap
from typing import Annotated

import typer

from shakespeare_agents.cli import lineup_options
from shakespeare_agents.cli.answers import Answers, Leave, meant_move
from shakespeare_agents.cli.single_game import SingleGame
from shakespeare_env import Position
from shakespeare_env.cli import choices, printing
from shakespeare_env.rng import fresh_seed

_HELP = """\
Enter the number or text of a move, such as 1 or {example}, or several separated by spaces. Or:
  ?      show this text
  table  show the table again
  moves  show the moves again
  quit   leave the game; so do Ctrl-D and Ctrl-C"""


def play(
    named: lineup_options.OpponentNames = None,
    game_name: choices.GameName = choices.DEFAULT_GAME,
    players: lineup_options.OpponentPlayers = None,
    seat: Annotated[int, typer.Option(min=0, help="Your seat, counted from 0.")] = 0,
    seed: lineup_options.FreshSeed = None,
    option: choices.Variants = None,
) -> None:
    """Play against agents; you see what your seat may know, and `?` for the rest."""
    game = choices.find_game(game_name)
    if seed is None:
        seed = fresh_seed()
    opponents = lineup_options.make_opponents(game, named, players)
    position = choices.new_position(game, len(opponents) + 1, seed, option)
    if seat >= position.players:
        raise typer.BadParameter(
            f"no seat {seat}; the seats are 0 to {position.players - 1}", param_hint="--seat"
        )
    others = [other for other in range(position.players) if other != seat]
    seated = dict(zip(others, opponents, strict=True))
    played = SingleGame(position, {other: one.agent for other, one in seated.items()}, seed)
    welcome = "".join(f", {one.name} plays seat {other}" for other, one in seated.items())
    typer.echo(f"You play seat {seat}{welcome}. The seed of this game is {seed}.")
    mine: list[str] = []
    try:
        _play(played, mine)
        names = {seat: "you", **{other: one.name for other, one in seated.items()}}
        printing.print_scores(played.position, [names[who] for who in sorted(names)])
    except (Leave, KeyboardInterrupt):
        command = ["shakespeare", "play", *(named or []), "--game", game.name]
        command += ["--players", str(position.players), "--seat", str(seat), "--seed", str(seed)]
        command += [word for name in option or [] for word in ("--option", name)]
        typer.echo(_farewell(command, mine))


def _farewell(command: list[str], mine: list[str]) -> str:
    """How to resume a game: with its seed, chance and agents repeat themselves."""
    lines = ["You have left the game. To resume it, run", f"  {shlex.join(command)}"]
    if mine:
        moves = textwrap.wrap(" ".join(mine), 98, break_long_words=False, break_on_hyphens=False)
        lines += ["and enter your moves so far:", *(f"  {line}" for line in moves)]
    return "\n".join(lines)


def _play(played: SingleGame, mine: list[str]) -> None:
    """Play the whole game, adding the person's moves to `mine`."""
    answers = Answers()

    def show(position: Position, number: int, move: str) -> None:
        if position.game.is_secret(position.to_dict(), move):
            printing.print_played_in_secret(position, number)
        else:
            printing.print_played(position, number, move)

    while True:
        played.play_out(show)
        position = played.position
        if position.to_move is None:
            break
        move = _asked(position, answers)
        mine.append(move)
        printing.print_played(position, played.n_moves + 1, move)
        played.push(move)
    # Nothing is secret once the game is over.
    typer.echo(f"\n{position}\n")


def _asked(position: Position, answers: Answers) -> str:
    legal = position.moves()
    if not answers.waiting:
        _print_table(position)
        printing.print_numbered_moves(position)
    while True:
        word = answers.next("Your move (? for help): ")
        if word in legal:  # before the words below, which could be moves of some game
            return word
        if word == "?":
            typer.echo(_HELP.format(example=legal[0]))
        elif word == "table":
            _print_table(position)
        elif word == "moves":
            printing.print_numbered_moves(position)
        elif word == "quit":
            raise Leave
        else:
            try:
                return meant_move(word, position)
            except ValueError as fault:
                typer.echo(str(fault))
                answers.waiting.clear()


def _print_table(position: Position) -> None:
    assert position.to_move is not None
    typer.echo(f"\n{position.game.draw(position.seen_by(position.to_move))}\n")
