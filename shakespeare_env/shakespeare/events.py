"""The effects of a move, and of what follows it by itself, in words.

This repeats the public rules over two positions in text; chance and secrets are read off the
second.  Tests compare every amount with the engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from shakespeare_env.presentation import Event
from shakespeare_env.shakespeare import day_end
from shakespeare_env.shakespeare.activation import can_activate
from shakespeare_env.shakespeare.box import ACTS
from shakespeare_env.shakespeare.drawing.wording import extra_names, seat_list
from shakespeare_env.shakespeare.ledger import counts_of, plural, signed
from shakespeare_env.shakespeare.move_effects import Play
from shakespeare_env.shakespeare.objective_values import space_of
from shakespeare_env.shakespeare.tables import FIRST_REHEARSAL, N_CYLINDERS, N_DAYS


def events(before: Mapping[str, Any], move: str | None, after: Mapping[str, Any]) -> list[Event]:
    """Every effect, in order; changes that nothing here explains come last, as such."""
    story = _Story(before, after)
    story.play(move)
    while not (story.waits() or story.moves_on()):
        pass
    story.settle()
    return story.ledger.events


class _Story(Play):
    """A move, and what follows up to the decision at which `after` stops."""

    def waits(self) -> bool:
        """Whether the mover has a choice to make; forced moves become events (D1)."""
        while self.opened.quills:
            acts = [act for act in ACTS if self.ledger.can_advance(act, self.mover)]
            if len(acts) > 1:
                return True
            if acts:
                self.play(f"quill:{acts[0]}")
            else:
                lost = plural(self.opened.quills, "white quill")
                self.ledger.tell(self.mover, f"{lost} lost: every act is at its end")
                self.opened.quills = 0
        if self.opened.craft and self.after["phase"] == "craft":
            return True
        if self.opened.craft:
            self.place_forced()
        if self.opened.back:
            piles = self.now["piles"]
            acts = [act for act in ACTS if space_of(piles[act], self.mover) > 1]
            if len(acts) > 1:
                return True
            self.opened.back = False
            if acts:
                self.play(f"back:{acts[0]}")
            else:
                self.ledger.tell(self.mover, "no disc moves back: all are on space 1")
        if self.opened.queen:
            if self.now["objective_deck"]:
                return True
            self.play("queen:money")
        if len(self.opened.drawn) == 1:
            self.play(f"objective:{self.after['seats'][self.mover]['objectives'][-1]}")
        return bool(self.opened.drawn)

    def place_forced(self) -> None:
        """An open craft without a choice: one place for a mandatory element, or nothing to take."""
        then = self.after["seats"][self.mover]
        for space in then["stage"].keys() - self.mine["stage"].keys():
            self.play(f"set:{then['stage'][space]}>{space}")
        for place, member in enumerate(self.mine["troupe"]):
            more = Counter(then["troupe"][place]["costume"]) - Counter(member["costume"])
            for colour in more:
                wearer = extra_names(self.mine["troupe"])[place] or member["card"]
                self.play(f"costume:{colour}>{wearer}")
        if self.opened.craft:
            self.ledger.tell(self.mover, "nothing more can be taken and placed")
            self.opened.craft = None

    def moves_on(self) -> bool:
        """Go on to the next seat or part; whether somebody decides, or all is over."""
        return {
            "draft": self.draft,
            "wager": self.wager,
            "turn": self.turn,
            "mood": self.mood,
            "rehearsal": self.rehearse,
            "rest": self.rest,
        }[self.part]()

    def draft(self) -> bool:
        """The next seat takes a character, or day 1 begins (S5)."""
        place = self.now["order"].index(self.mover)
        if place == 0:
            self.now["display"] = self.after["display"]
            self.begin_day()
            return False
        self.now["to_move"] = self.now["order"][place - 1]
        shown = set(self.now["display"]["characters"])
        if len(shown) > 1:
            return True
        self.play(f"draft:{shown.pop()}")
        return False

    def begin_day(self) -> None:
        """Wagers, in solo turns (P3, V1)."""
        day_end.begin_day(self.ledger)
        self.part = "wager"
        if self.now["players"] == 1:
            self.begin_turns()

    def begin_turns(self) -> None:
        """The first in Order has the first turn (T1)."""
        self.part = "turn"
        self.now["to_move"] = self.now["order"][-1]

    def wager(self) -> bool:
        """The next seat wagers, or all wagers are revealed (W1 to W4)."""
        for seat in self.now["order"]:
            if self.ledger.seats[seat]["wager"] is None:
                self.now["to_move"] = seat
                if N_CYLINDERS > 1:
                    return True
                self.play("wager:1")
        self.now["order"] = order = self.after["order"]
        for seat in order:
            wager = self.after["seats"][seat]["wager"]
            self.ledger.seats[seat].update(wager=wager, cylinders=wager)
            self.ledger.tell(seat, f"wagers {plural(wager, 'cylinder')}", {"cylinders": wager})
        self.ledger.tell(None, f"new Order: {seat_list(order)}")
        self.ledger.effect(order[0], "first in Order", {"prestige": 1}, source="first in Order")
        self.now["initiative"] = []
        self.begin_turns()
        return False

    def turn(self) -> bool:
        """The next seat's turn, or the end of the phase (T1, T4)."""
        order = self.now["order"]
        start = order.index(self.mover) + 1
        for seat in (*order[start:], *order[:start]):
            mine = self.ledger.seats[seat]
            if mine["passed"] or (mine["recruited"] and not mine["cylinders"]):
                continue
            self.now["to_move"] = seat
            if not mine["recruited"] or any(map(can_activate, mine["troupe"])):
                return True
            self.ledger.tell(seat, "passes: nobody is left to be activated")
            self.play("pass")
        day_end.end_turns(self.ledger)
        self.part = "mood"
        self.now["queue"] = list(order)
        return False

    def mood(self) -> bool:
        """The next seat's mood is paid, or the phase is over (M2, R)."""
        if self.call_next():
            self.opened.quills, self.opened.back = day_end.serve_mood(self.ledger, self.mover)
        elif self.now["day"] in (FIRST_REHEARSAL, N_DAYS):
            self.part = "rehearsal"
            self.now["queue"] = list(self.now["initiative"])
        else:
            self.begin_rest()
        return False

    def rehearse(self) -> bool:
        """The next seat's costumes, or the acts are scored (R1, R2); the end of the game (F)."""
        if self.call_next():
            self.opened.quills = day_end.serve_rehearsal(self.ledger, self.mover)
            return False
        day_end.score_acts(self.ledger)
        if self.now["day"] == N_DAYS:
            day_end.finish(self.ledger, self.after)
            return True
        if self.now["players"] == 1:
            day_end.move_neutral_discs(self.ledger)
        self.begin_rest()
        return False

    def begin_rest(self) -> None:
        """Upkeep, then rest (U, P2, P4)."""
        day_end.renew(self.ledger, self.after)
        self.part = "rest"
        seats = "initiative" if self.now["strategic_rest"] else "order"
        self.now["queue"] = list(self.now[seats])

    def rest(self) -> bool:
        """The next seat chooses who stays free, or the next day begins (P2, P3)."""
        if self.call_next():
            used = {member["card"] for member in self.mine["troupe"] if member["cylinder"]}
            if len(used) > 1:
                return True
            if used:  # copies of one card, or a single one, leave no choice
                self.play("keep")
            return False
        for seat in range(self.now["players"]):
            day_end.put_to_rest(self.ledger, seat, self.after)
        self.begin_day()
        return False

    def call_next(self) -> bool:
        """The first in the queue is served."""
        if self.now["queue"]:
            self.now["to_move"] = self.now["queue"].pop(0)
            return True
        return False

    def settle(self) -> None:
        """Add events for changes that have not been explained."""
        for seat, (mine, then) in enumerate(
            zip(self.ledger.seats, self.after["seats"], strict=True)
        ):
            now, end = counts_of(self.now, seat), counts_of(self.after, seat)
            changed = {name: end[name] - now[name] for name in now if end[name] != now[name]}
            points = then["prestige"] - mine["prestige"]
            if points or changed:
                amounts = {"prestige": points, **changed}.items()
                words = ", ".join(f"{name} {signed(by)}" for name, by in amounts if by)
                self.ledger.tell(seat, f"other: {words}", changed, source="other", points=points)
