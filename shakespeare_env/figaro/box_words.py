"""Names of the entries of a box for people who compare it with their copy."""

from __future__ import annotations

WORDS = {
    "cards": "The cards",
    "cards.colours": "Copies in every colour",
    "cards.colours.*": "Of value {}",
    "cards.jesters": "Jesters",
    "cards.jesters.*": "Of value {}",
    "cards.rings": "Rings",
    "three_seats": "Left out with three players, besides a colour",
    "three_seats.jesters": "Jesters left out",
    "three_seats.jesters.*": "Of value {}",
    "three_seats.rings": "Rings left out",
    "road": "The pieces of the road",
    "road.lengths": "Their lengths",
    "rounds": "Rounds",
    "rounds.number": "In a game",
    "pile": "Cards before a player",
    "pile.full": "The total that makes the player take them all",
}
"""Names by keys; `*` matches any key, which fills the braces."""
