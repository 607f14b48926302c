"""Rules of the components: discs on acts, the supply, troupes, costumes, moods and stages."""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.core.rng import draw
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.state import MOST, NOBODY

_SPACE_WEIGHT = 16
"""The weight of a space in `standing`; it exceeds the height of any pile."""


@rule
def place(game: Record, act: int, disc: int, space: int) -> None:
    """Move a disc to the top of a space's pile (Rules T7)."""
    spaces = game["disc_space"][act]
    heights = game["disc_height"][act]
    old_space = spaces[disc]
    old_height = heights[disc]
    height = 0
    for other in range(t.N_DISCS):
        if spaces[other] == old_space and heights[other] > old_height:
            heights[other] -= 1  # the discs above close the gap
        if spaces[other] == space and other != disc:
            height += 1
    spaces[disc] = space
    heights[disc] = height


@rule
def can_advance(game: Record, act: int, seat: int) -> bool:
    """Return whether a quill can advance the seat (Rules T6)."""
    return game["disc_space"][act, seat] < t.ACT_LENGTH[act]


@rule
def advance(game: Record, act: int, seat: int, quills: int) -> None:
    """Advance a disc one space for each quill; quills past the last space are lost (Rules T6)."""
    for _ in range(quills):
        if can_advance(game, act, seat):
            place(game, act, seat, game["disc_space"][act, seat] + 1)


@rule
def can_move_back(game: Record, act: int, seat: int) -> bool:
    """Return whether a seat's disc is past space 1 (Rules M2)."""
    return game["disc_space"][act, seat] > 1


@rule
def standing(game: Record, act: int, disc: int) -> int:
    """Return a number that is higher the further ahead a disc is (Rules T7).

    The space counts first, then the lower place in the pile. Discs out of play are on space 0 and
    have the lowest numbers.
    """
    return _SPACE_WEIGHT * int(game["disc_space"][act, disc]) - int(game["disc_height"][act, disc])


@rule
def discs_ahead(game: Record, act: int, disc: int) -> int:
    """Return how many discs are ahead of a disc, the neutral one included (Rules T7, V4)."""
    own = standing(game, act, disc)
    count = 0
    for other in range(t.N_DISCS):
        count += int(standing(game, act, other) > own)
    return count


# ---- the supply ---------------------------------------------------------------------------------
@rule
def gain_prestige(game: Record, seat: int, points: int) -> None:
    """Add points of prestige, which may be negative (Rules F4).

    The total stays within -`MOST` to `MOST`, limits of the record that no game comes near.
    """
    game["prestige"][seat] = min(max(game["prestige"][seat] + points, -MOST), MOST)


@rule
def gain_pounds(game: Record, seat: int, pounds: int) -> None:
    """Give a seat pounds, up to MOST in all."""
    game["pounds"][seat] = min(game["pounds"][seat] + pounds, MOST)


@rule
def size_of_table(game: Record) -> int:
    """Return the N of the rules: the number of seats, but 2 in solo (Rules S1, V1)."""
    return max(game["players"], 2)


@rule
def show_elements(game: Record) -> None:
    """Display 3N costumes and 3N stage sets, or what the bags still hold (Rules S4, U2).

    A bag filled at setup always holds enough; one in a position given as text may not.
    """
    for kind in (t.COSTUME, t.SET):
        bag = game["bag"][kind]
        total = 0
        for colour in range(t.N_COLOURS):
            total += bag[colour]
        for _ in range(min(3 * size_of_table(game), total)):
            game["display"][kind, draw(game, bag, total)] += 1
            total -= 1


@rule
def discard_elements(game: Record) -> None:
    """Remove the elements left on display from the game (Rules U2)."""
    for kind in (t.COSTUME, t.SET):
        for colour in range(t.N_COLOURS):
            game["discarded"][kind, colour] += game["display"][kind, colour]
            game["display"][kind, colour] = 0


@rule
def show_characters(game: Record) -> None:
    """Show N+2 characters; once the deck is empty, the discards become the deck (S5, U1)."""
    deck = game["deck"]
    total = 0
    for card in range(t.N_DECK):
        total += deck[card]
    for _ in range(size_of_table(game) + 2):
        if total == 0:
            for card in range(t.N_DECK):
                total += game["discarded_cards"][card]
                deck[card] = game["discarded_cards"][card]
                game["discarded_cards"][card] = 0
        game["shown"][draw(game, deck, total)] += 1
        total -= 1


@rule
def discard_characters(game: Record) -> None:
    """Discard the characters still shown (Rules S5, U1)."""
    for card in range(t.N_DECK):
        game["discarded_cards"][card] += game["shown"][card]
        game["shown"][card] = 0


# ---- the seats ---------------------------------------------------------------------------------
@rule
def join(game: Record, seat: int, card: int, face_down: int) -> None:
    """Add a character free of charge, face up or face down as an extra (Rules T2)."""
    member = game["troupe_len"][seat]
    game["card"][seat, member] = card
    game["extra"][seat, member] = face_down
    game["troupe_len"][seat] = member + 1


@rule
def count_assistants(game: Record, seat: int) -> int:
    """Return the number of a seat's face-up assistants; each adds 1 to its craftsmen (T9)."""
    count = 0
    for member in range(game["troupe_len"][seat]):
        if t.KIND[game["card"][seat, member]] == t.ASSISTANT and game["extra"][seat, member] == 0:
            count += 1
    return count


@rule
def wears_costumes(game: Record, seat: int, member: int) -> bool:
    """Return whether a member can wear a costume, as actors and extras can (Rules T12)."""
    return game["extra"][seat, member] == 1 or t.KIND[game["card"][seat, member]] == t.ACTOR


@rule
def member_of_wearer(game: Record, seat: int, wearer: int) -> int:
    """Return the member that a costume move names by the number `wearer`, or NOBODY (Rules T12).

    The first `N_ACTORS` numbers are the actors, by card. The next are the seat's extras, in the
    order of hiring.
    """
    extras = 0
    for member in range(game["troupe_len"][seat]):
        if game["extra"][seat, member] == 1:
            if wearer == t.N_ACTORS + extras:
                return member
            extras += 1
        elif t.WEARER_OF_CARD[game["card"][seat, member]] == wearer:
            return member
    return NOBODY


@rule
def add_costume(game: Record, seat: int, member: int, colour: int) -> None:
    """Place a costume element for good; the third completes the costume, which pays (T11, T12)."""
    slots = game["costume"][seat, member]
    slot = game["costume_len"][seat, member]
    while slot > 0 and slots[slot - 1] > colour:  # kept in colour order, as the notation lists them
        slots[slot] = slots[slot - 1]
        slot -= 1
    slots[slot] = colour
    if colour == t.YELLOW:
        game["yellow"][seat] += 1
    game["costume_len"][seat, member] += 1
    game["costume_value"][seat, member] += t.ELEMENT_VALUE[colour]
    if game["costume_len"][seat, member] == t.N_SLOTS:
        value = game["costume_value"][seat, member]
        gain_pounds(game, seat, t.GAIN_POUNDS[value])
        gain_prestige(game, seat, t.GAIN_PRESTIGE[value])


@rule
def shift_mood(game: Record, seat: int, steps: int) -> None:
    """Move a seat's mood, which stops at the ends of its track (Rules T15)."""
    game["mood"][seat] = min(max(game["mood"][seat] + steps, t.LOWEST_MOOD), t.HIGHEST_MOOD)


@rule
def shift_mood_of_others(game: Record, seat: int, steps: int) -> None:
    """Move the mood of every other seat (Rules T15)."""
    for other in range(game["players"]):
        if other != seat:
            shift_mood(game, other, steps)


@rule
def is_open(game: Record, seat: int, space: int) -> bool:
    """Return whether a space is empty and fully supported (Rules T13)."""
    filled = game["stage_filled"][seat]
    return (filled >> space) & 1 == 0 and (filled & t.SUPPORTS[space]) == t.SUPPORTS[space]


@rule
def keeps_symmetry(game: Record, seat: int, space: int, colour: int) -> bool:
    """Return whether a colour fits the mirrored space (Rules T13).

    It does if that space is empty or has this colour, or if one of the two colours is yellow.
    """
    mirror = t.MIRROR[space]
    if mirror == space or colour == t.YELLOW:
        return True
    opposite = game["stage"][seat, mirror]
    return opposite in (NOBODY, colour, t.YELLOW)


@rule
def add_set(game: Record, seat: int, space: int, colour: int) -> None:
    """Place a stage set for good; a candle scores, then the colour takes effect (T11, T13, T14)."""
    game["stage"][seat, space] = colour
    game["stage_filled"][seat] |= 1 << space
    if t.CANDLE[space]:
        gain_prestige(game, seat, 1)
    if colour == t.PINK:
        gain_pounds(game, seat, t.PINK_POUNDS)
    elif colour == t.PURPLE:
        shift_mood_of_others(game, seat, t.PURPLE_MOOD)
    elif colour == t.BLUE:
        shift_mood(game, seat, t.BLUE_MOOD)
    elif colour == t.YELLOW:
        game["yellow"][seat] += 1
    elif colour == t.GREEN and game["supply_tokens"] > 0:
        game["supply_tokens"] -= 1
        game["tokens"][seat] += 1
