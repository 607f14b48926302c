"""The effects of a move, and of what follows it by itself, in words.

This repeats the public rules over two positions in text; hidden cards are read off the second.
Tests compare every amount with the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shakespeare_env.figaro.drawing.wording import RING, cards_count, pile_total
from shakespeare_env.figaro.tables import FULL, HAND, N_ROUNDS
from shakespeare_env.presentation import Event


def events(before: Mapping[str, Any], move: str | None, after: Mapping[str, Any]) -> list[Event]:
    """Every effect, in order; changes that nothing here explains come last, as such."""
    story = _Story(before, after)
    story.play(move or "")
    story.follow()
    story.settle()
    return story.events


class _Story:
    """A move, and what follows up to the decision at which `after` stops."""

    def __init__(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        self.after = after
        self.events: list[Event] = []
        self.players: int = before["players"]
        self.round: int = before["round"]
        self.to_move: int = before["to_move"]
        self.king: int = before["king"]
        self.front = [list(pile) for pile in before["front"]]
        self.hands = [sum(hand.values()) for hand in before["hands"]]
        self.taken = list(map(len, before["taken"]))
        self.roads = [list(road) for road in before["roads"]]
        self.pieces: list[list[int]] = [list(pieces) for pieces in before["pieces"]]

    def tell(
        self,
        seat: int | None,
        text: str,
        *,
        hand: int = 0,
        taken: int = 0,
        points: int = 0,
        source: str = "",
    ) -> None:
        """Add an event, and count its cards."""
        if seat is not None:
            self.hands[seat] += hand
            self.taken[seat] += taken
        changes = {"hand": hand, "taken": taken}
        counters = {name: change for name, change in changes.items() if change}
        self.events.append(Event(seat, text, source, points, counters))

    # ---- moves -----------------------------------------------------------------------------------
    def play(self, move: str) -> None:
        """A move, and who is next (B1 to B6)."""
        mover = self.to_move
        if move == "take":
            self.take(mover, "")
            return
        self.to_move = (mover + 1) % self.players
        if move == RING:
            self.front[mover].append(RING)
            self.front = self.front[-1:] + self.front[:-1]
            self.tell(mover, "a ring: every pile goes to the next seat", hand=-1)
            return
        card, _, seat = move.removeprefix("play:").partition(">")
        target = int(seat)
        self.front[target].append(card)
        total = pile_total(self.front[target])
        words = f"{card.replace('-', ' ')} before seat {target}, total {total} of {FULL}"
        self.tell(mover, words, hand=-1)
        if total >= FULL:
            self.take(target, f"total {total}: ")
            self.to_move = target

    def take(self, seat: int, cause: str) -> None:
        """A seat takes all face-up cards (B5, B6)."""
        count = sum(map(len, self.front))
        self.front = [[] for _ in self.front]
        words = f"{cause}takes {cards_count(count)}, {self.taken[seat] + count} this round"
        self.tell(seat, words, taken=count)

    # ---- what follows by itself ------------------------------------------------------------------
    def follow(self) -> None:
        """Forced moves and ends of rounds (D1, C1)."""
        while self.round <= N_ROUNDS and not self.is_decision():
            if not self.hands[self.to_move]:
                self.end_round()
            elif any(self.front):
                self.tell(self.to_move, "no card can be played")
                self.play("take")
            else:  # a hand of rings alone
                self.play(RING)

    def is_decision(self) -> bool:
        """Whether this is where `after` stops."""
        here = (self.round, self.to_move, self.front)
        after = (self.after["round"], self.after["to_move"], self.after["front"])
        return here == after and self.hands[self.to_move] > 0

    def end_round(self) -> None:
        """The King, the round's pieces, and new hands or the end (C1 to C4)."""
        self.king = self.to_move
        self.tell(None, f"round {self.round} is over; the King goes to seat {self.king}")
        clockwise = [(self.king + place) % self.players for place in range(self.players)]
        pieces = self.pieces[self.round - 1]
        if self.round == N_ROUNDS:
            self.exchange(min(clockwise, key=self.taken.__getitem__), pieces)
        ranked = sorted(clockwise[1:] + clockwise[:1], key=lambda seat: -self.taken[seat])
        for seat, length in zip(ranked, [*pieces, 0], strict=True):
            took = f"{cards_count(self.taken[seat])} taken"
            if self.taken[seat] and length:
                self.roads[seat].append(length)
                words = f"{took}: road piece {length}, road {sum(self.roads[seat])}"
                self.tell(seat, words, points=-length, source=f"round {self.round}")
            else:
                self.tell(seat, f"{took}: no road piece")
        self.front = [[] for _ in self.front]
        self.round += 1
        if self.round <= N_ROUNDS:
            self.deal()
            return
        for seat, left in enumerate(self.hands):
            if left:
                self.tell(seat, f"{cards_count(left)} left in hand", hand=-left)
        lengths = list(map(sum, self.roads))
        winner = min(clockwise, key=lengths.__getitem__)
        self.tell(None, f"seat {winner} wins with a road of {lengths[winner]}")

    def exchange(self, seat: int, pieces: list[int]) -> None:
        """The seat with the fewest cards swaps its longest piece for the shortest (C3)."""
        road, offered = self.roads[seat], pieces[-1]
        longest = max(road, default=0)
        if longest < offered:
            self.tell(seat, f"took fewest cards, but has no piece longer than {offered}")
            return
        road.remove(longest)
        road.append(offered)
        pieces[-1] = longest
        pieces.sort(reverse=True)
        words = f"took fewest cards: exchanges its road piece {longest} for {offered}"
        self.tell(seat, words, points=longest - offered, source="exchange")

    def deal(self) -> None:
        """New hands (A1)."""
        dealt = int(HAND[self.players])
        for seat, left in enumerate(self.hands):
            words = f"{cards_count(dealt)} dealt"
            words += f"; {left} left in hand out of play" if left else ""
            self.tell(seat, words, hand=dealt - left, taken=-self.taken[seat])

    def settle(self) -> None:
        """Add events for changes that have not been explained."""
        for seat in range(self.players):
            after = self.after
            hand = sum(after["hands"][seat].values()) - self.hands[seat]
            taken = len(after["taken"][seat]) - self.taken[seat]
            longer = sum(after["roads"][seat]) - sum(self.roads[seat])
            if hand or taken or longer:
                changes = {"hand": hand, "taken": taken, "road": longer}
                words = ", ".join(f"{name} {by:+d}" for name, by in changes.items() if by)
                self.tell(
                    seat, f"other: {words}", hand=hand, taken=taken, points=-longer, source="other"
                )
