"""Events of the moves themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.game import UNKNOWN
from shakespeare_env.shakespeare import day_end
from shakespeare_env.shakespeare.activation import Opened, activate, add_costume, add_set
from shakespeare_env.shakespeare.ledger import Ledger, plural
from shakespeare_env.shakespeare.printed import CARDS, OBJECTIVES
from shakespeare_env.shakespeare.tables import QUEEN_OBJECTIVES, QUEEN_POUNDS


class Play:
    """The events between two positions, move by move.

    Attributes:
        ledger: The events so far, and the position after them.
        after: The position that it leads to, which shows chance and secrets.
        opened: The choices that the mover still has to make.
        part: The part of the game, as in `state.PART_NAMES`.
    """

    def __init__(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        self.ledger = Ledger(before)
        self.now = self.ledger.now
        self.after = after
        self.opened = Opened.of(before)
        part = before["phase"]
        if part == "quill":
            part = before["pending"]["then"]
        inside = {"back": "mood", "craft": "turn", "queen": "turn", "objective": "turn"}
        self.part: str = inside.get(part, part) if isinstance(part, str) else "turn"

    @property
    def mover(self) -> int:
        """The seat that decides."""
        seat: int = self.now["to_move"]
        return seat

    @property
    def mine(self) -> dict[str, Any]:
        """The mover's entry."""
        return self.ledger.seats[self.mover]

    def play(self, move: str | None) -> None:
        """Add the events of a move, or what can be seen of a secret one."""
        if move is None and self.opened.drawn:
            move = f"objective:{UNKNOWN}"
        kind, _, what = (move or "").partition(":")
        ledger, seat, opened = self.ledger, self.mover, self.opened
        if kind in ("draft", "recruit", "extra"):
            self.join(what, kind)
        elif kind == "activate":
            activate(ledger, seat, what, opened)
        elif kind == "quill":
            opened.quills -= 1
            ledger.effect(seat, "white quill", quills={what: 1})
        elif kind == "back":
            opened.back = False
            ledger.effect(seat, "mood −1", quills={what: -1})
        elif kind in ("costume", "set"):
            colour, _, place = what.partition(">")
            self.take(kind, colour, place)
        elif kind == "done":
            opened.craft = None
        elif kind == "queen":
            self.ask_queen(what)
        elif kind == "objective":
            self.keep_objective(what)
        elif kind == "pass":
            self.mine["passed"] = True
        elif self.part == "wager":
            self.mine["wager"] = what or UNKNOWN
        elif self.part == "rest" and self.now["strategic_rest"]:
            day_end.put_to_rest(ledger, seat, self.after)

    def join(self, card: str, kind: str) -> None:
        """A character joins (S5, T2)."""
        self.now["display"]["characters"].remove(card)
        face = "extra" if kind == "extra" else "character"
        self.mine["troupe"].append(
            {"card": card, "face": face, "costume": [], "cylinder": False, "rest": False}
        )
        self.mine["recruited"] = kind != "draft"
        words = f"{CARDS[card].name} joins" + (", as an extra" if kind == "extra" else "")
        self.ledger.tell(self.mover, words, {"troupe": 1})

    def take(self, kind: str, colour: str, place: str) -> None:
        """An element is taken and placed (T10, T11)."""
        self.opened.spend(colour)
        (add_costume if kind == "costume" else add_set)(self.ledger, self.mover, colour, place)

    def ask_queen(self, gift: str) -> None:
        """Pounds or objectives (T17)."""
        self.opened.queen = False
        if gift == "money":
            self.ledger.effect(self.mover, "the Queen", {"pounds": QUEEN_POUNDS})
            return
        deck = self.now["objective_deck"]
        self.opened.drawn = deck[:QUEEN_OBJECTIVES]
        self.now["objective_deck"] = deck[QUEEN_OBJECTIVES:]
        drawn = plural(len(self.opened.drawn), "objective")
        self.ledger.tell(self.mover, f"the Queen: draws {drawn}")

    def keep_objective(self, kept: str) -> None:
        """One of those drawn stays (T17)."""
        returned = len(self.opened.drawn) - 1
        self.opened.drawn = []
        self.now["objective_deck"] += [UNKNOWN] * returned
        self.mine["objectives"].append(kept)
        name = "an objective" if kept == UNKNOWN else f'objective "{OBJECTIVES[kept].name}"'
        words = f"keeps {name}"
        if returned:
            words += f", {returned} go{'es' * (returned == 1)} under the pile"
        self.ledger.tell(self.mover, words, {"objectives": 1})
