"""Tables in words and as JSON types, as the outside seat may know them."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from shakespeare_agents.mcp.table import Table


class Answer(NamedTuple):
    """An answer as text for a reader, and as the same facts for a program."""

    text: str
    facts: dict[str, Any]


def view(table: Table) -> Answer:
    """Everything that the outside seat sees."""
    position, seat = table.position, table.seat
    seen = position.seen_by(seat) if not _is_open(table) else position.to_dict()
    happened = table.told()
    lines = [
        _heading(table),
        *(
            ["", "Since your last choice:" if table.has_chosen else "So far:", *happened]
            if happened
            else []
        ),
        "",
        position.game.presentation.draw(seen),
        "",
        *_scores(table),
        "",
        *_turn(table),
        "",
        'The position in notation; "?" is what you may not know:',
        json.dumps(seen, ensure_ascii=False, separators=(",", ":")),
    ]
    facts = {**_facts(table), "happened": happened, "position": seen}
    return Answer("\n".join(lines), facts)


def choices(table: Table) -> Answer:
    """The legal moves of the outside seat, and what each does."""
    position = table.position
    moves = [] if table.is_over else position.moves()
    described = {move: position.describe_move(move) for move in moves}
    lines = [*_turn(table), *(f"{move}  {does}" for move, does in described.items())]
    facts = [{"move": move, "does": does} for move, does in described.items()]
    return Answer("\n".join(lines), {**_facts(table), "legal_moves": facts})


def course(table: Table) -> Answer:
    """What the last move has led to, and the next choice."""
    happened, then = table.told(), choices(table)
    text = "\n".join([*happened, "", *_scores(table), "", then.text])
    return Answer(text, {**then.facts, "happened": happened})


def topic(table: Table, name: str) -> Answer | None:
    """What a card, a move or a thing does now; None if there is no such topic."""
    topics = table.position.game.presentation.topics(table.position.seen_by(table.seat))
    known = {word.lower(): text for word, text in topics.items()}
    found = known.get(name.strip().lower())
    return None if found is None else Answer(f"{name}: {found}", {"name": name, "does": found})


def topic_names(table: Table) -> list[str]:
    """Whatever `topic` explains."""
    return list(table.position.game.presentation.topics(table.position.seen_by(table.seat)))


def brief(table: Table) -> dict[str, Any]:
    """A table among others."""
    return {
        "table": table.number,
        "game": table.position.game.name,
        "players": table.position.players,
        "seat": table.seat,
        "over": table.is_over,
    }


def _is_open(table: Table) -> bool:
    """Whether nothing is secret any more."""
    return table.position.to_move is None


def _facts(table: Table) -> dict[str, Any]:
    position = table.position
    facts = {
        **brief(table),
        "seats": table.log.names,
        "variants": list(table.start.variants),
        "phase": position.phase,
        "scores": position.scores(),
        "winners": position.winners,
    }
    return (
        {**facts, "seed": table.start.seed, "deal": table.start.deal} if _is_open(table) else facts
    )


def _heading(table: Table) -> str:
    position = table.position
    others = [f"{table.log.label(other)}" for other in table.opponents]
    parts = [position.game.name, _seats(position.players), *table.start.variants]
    against = f"; the others: {', '.join(others)}" if others else ", alone"
    return f"Table {table.number}: {', '.join(parts)}. You hold seat {table.seat}{against}."


def _seats(players: int) -> str:
    return "1 seat" if players == 1 else f"{players} seats"


def _scores(table: Table) -> list[str]:
    """Scores by seat, and once nothing is secret what they are made of."""
    position = table.position
    final = position.to_move is None
    lines = [f"{'Final scores' if final else 'Scores so far'}, seat by seat:"]
    lines.append("  " + "  ".join(map(str, position.scores())))
    if final:
        sheet = table.log.score_sheet(table.played.positions, table.played.moves)
        lines += [f"  {source}: {'  '.join(map(str, points))}" for source, points in sheet]
    if position.players == 1:
        lines.append(f"A good solo game passes {position.game.solo_target:g}.")
    return lines


def _turn(table: Table) -> list[str]:
    position = table.position
    if table.failed is not None:
        whose = "You have" if table.failed == table.seat else f"{table.log.label(table.failed)} has"
        return [f"The game has stopped: {whose} lost it by a fault."]
    if position.to_move is None:
        winners = position.winners or []
        won = ", ".join(map(table.log.label, winners))
        return [f"The game is over: {won} wins." if position.players > 1 else "The game is over."]
    number = len(position.moves())
    return [f"You decide, in phase {position.phase!r}: {number} legal moves."]
