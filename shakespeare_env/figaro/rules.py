"""What is legal and what it does, compiled, in the order of RULES.md."""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.core.rng import below, draw
from shakespeare_env.figaro import actions as a
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.state import NOBODY, NOTHING

_ALL_PIECES = len(t.LENGTHS)
_LAST = t.N_ROUNDS - 1


# ---- A: setting up a game and dealing a round ----------------------------------------------------


@rule
def set_up(game: Record, players: int, options: int) -> None:
    """Set up a game, up to the first card (Rules A1 to A4)."""
    game["players"] = players
    game["round"] = 0
    game["king"] = below(game, players)  # A4
    game["to_move"] = game["king"]
    game["road"][:, :] = 0
    game["winners"][:] = 0
    draw_pieces(game)
    deal(game)


@rule
def draw_pieces(game: Record) -> None:
    """Give pieces, from long to short, random free places in a round or the bag (Rules A3)."""
    game["pieces"][:, :] = 0
    a_round = game["players"] - 1
    for piece in range(_ALL_PIECES):
        place = below(game, _ALL_PIECES - piece)
        for number in range(t.N_ROUNDS):
            filled = 0
            while filled < a_round and game["pieces"][number, filled]:
                filled += 1
            if 0 <= place < a_round - filled:
                game["pieces"][number, filled] = t.LENGTHS[piece]
            place -= a_round - filled


@rule
def deal(game: Record) -> None:
    """Clear the table and deal all cards (Rules A1)."""
    players = game["players"]
    clear_front(game)
    game["hand"][:, :] = 0
    game["hand_size"][:] = 0
    game["taken"][:, :] = 0
    game["taken_count"][:] = 0
    for kind in range(t.N_KINDS):
        game["dealt"][kind] = t.COPIES[players, kind]
    left = players * t.HAND[players]
    for seat in range(players):
        give(game, seat, t.HAND[players], left)
        left -= t.HAND[players]


@rule
def give(game: Record, seat: int, cards: int, left: int) -> None:
    """Deal a seat `cards` of the `left` undealt cards."""
    for card in range(cards):
        kind = draw(game, game["dealt"], left - card)
        game["hand"][seat, kind] += 1
    game["hand_size"][seat] += cards


@rule
def clear_front(game: Record) -> None:
    """Clear all face-up cards."""
    game["front"][:, :] = NOTHING
    game["front_len"][:] = 0
    game["total"][:] = 0
    game["colour"][:] = t.NO_COLOUR


# ---- B: the moves of a turn ----------------------------------------------------------------------


@rule
def legal(game: Record, mask: Any) -> int:
    """Mark legal actions in bool[A]; count them (Rules B1 to B5)."""
    mover = game["to_move"]
    players = game["players"]
    hand = game["hand"][mover]
    count = 0
    for colour in range(t.N_COLOURS):
        owner = owner_of(game, colour)
        for kind in range(colour * t.N_VALUES, colour * t.N_VALUES + t.N_VALUES):
            if hand[kind] == 0:
                continue
            first = a.PLAY + kind * t.N_SEATS
            if owner != NOBODY:
                mask[first + place_of(mover, owner, players)] = True
                count += 1
                continue
            for place in range(players):
                if game["colour"][seat_at(mover, place, players)] == t.NO_COLOUR:
                    mask[first + place] = True
                    count += 1
    for kind in range(t.JESTER, t.RING):
        if hand[kind]:
            for place in range(players):
                mask[a.PLAY + kind * t.N_SEATS + place] = True
            count += players
    if hand[t.RING]:
        mask[a.RING] = True
        count += 1
    if face_up(game):  # B5
        mask[a.TAKE] = True
        count += 1
    return count


@rule
def seat_at(seat: int, place: int, players: int) -> int:
    """The seat `place` seats clockwise."""
    seat += place
    return seat - players if seat >= players else seat


@rule
def place_of(seat: int, other: int, players: int) -> int:
    """Clockwise distance to another seat."""
    return other - seat if other >= seat else other - seat + players


@rule
def owner_of(game: Record, colour: int) -> int:
    """First seat with a colour, or NO_COLOUR, before it; else NOBODY (Rules B2)."""
    for seat in range(game["players"]):
        if game["colour"][seat] == colour:
            return seat
    return NOBODY


@rule
def face_up(game: Record) -> int:
    """Number of face-up cards."""
    cards = 0
    for seat in range(game["players"]):
        cards += game["front_len"][seat]
    return cards


@rule
def play_move(game: Record, action: int) -> None:
    """Play a legal action and pass the turn (Rules B1 to B6)."""
    mover = game["to_move"]
    players = game["players"]
    if action == a.TAKE:
        take(game, mover)  # and it plays a card at once (B5)
        return
    if action == a.RING:
        lay(game, mover, mover, t.RING)
        pass_left(game)
    else:
        kind = (action - a.PLAY) // t.N_SEATS
        target = seat_at(mover, (action - a.PLAY) % t.N_SEATS, players)
        lay(game, mover, target, kind)
        if game["total"][target] >= t.FULL:
            take(game, target)
            game["to_move"] = target  # it leads (B6)
            return
    game["to_move"] = seat_at(mover, 1, players)


@rule
def lay(game: Record, mover: int, seat: int, kind: int) -> None:
    """Lay a card from the mover's hand before a seat; what fills a pile is taken (B1 to B3)."""
    game["hand"][mover, kind] -= 1
    game["hand_size"][mover] -= 1
    game["total"][seat] += t.VALUE[kind]
    if t.COLOUR[kind] != t.NO_COLOUR:
        game["colour"][seat] = t.COLOUR[kind]
    if game["total"][seat] < t.FULL:
        game["front"][seat, game["front_len"][seat]] = kind
        game["front_len"][seat] += 1
    else:
        game["taken"][seat, kind] += 1
        game["taken_count"][seat] += 1


@rule
def take(game: Record, seat: int) -> None:
    """A seat takes all face-up cards (Rules B5, B6)."""
    for other in range(game["players"]):
        for card in range(game["front_len"][other]):
            game["taken"][seat, game["front"][other, card]] += 1
        game["taken_count"][seat] += game["front_len"][other]
    clear_front(game)


@rule
def pass_left(game: Record) -> None:
    """Pass piles to the next seats clockwise; with their totals, so none is full (Rules B4, B6)."""
    last = game["players"] - 1
    for card in range(t.MAX_FRONT):
        carried = game["front"][last, card]
        for seat in range(last, 0, -1):
            game["front"][seat, card] = game["front"][seat - 1, card]
        game["front"][0, card] = carried
    rotate(game["front_len"], last)
    rotate(game["total"], last)
    rotate(game["colour"], last)


@rule
def rotate(values: Any, last: int) -> None:
    """Shift every seat's value to the next seat."""
    carried = values[last]
    for seat in range(last, 0, -1):
        values[seat] = values[seat - 1]
    values[0] = carried


@rule
def has_choice(game: Record, cards: Any) -> bool:
    """Whether a hand, int8[kinds], gives two legal moves; on an empty table a ring is one (D1)."""
    playable = 0
    for kind in range(t.RING + (face_up(game) > 0)):
        playable += cards[kind] > 0 and is_playable(game, kind)
    return bool(playable)


@rule
def fits(game: Record, kind: int, seat: int) -> bool:
    """Whether a coloured card or a jester fits before a seat (Rules B2, B3)."""
    colour = t.COLOUR[kind]
    if colour == t.NO_COLOUR or game["colour"][seat] == colour:
        return True
    return game["colour"][seat] == t.NO_COLOUR and owner_of(game, colour) == NOBODY


@rule
def is_playable(game: Record, kind: int) -> bool:
    """Whether a card fits before any seat (Rules B2 to B4)."""
    if t.COLOUR[kind] == t.NO_COLOUR or owner_of(game, t.COLOUR[kind]) != NOBODY:
        return True
    return owner_of(game, t.NO_COLOUR) != NOBODY


# ---- C: the end of a round and of the game -------------------------------------------------------


@rule
def play(game: Record, action: int) -> None:
    """Play a legal action and find the next decision."""
    play_move(game, action)
    if game["hand_size"][game["to_move"]] == 0:
        end_round(game)


@rule
def end_round(game: Record) -> None:
    """Give the King to the seat without cards, which starts the next round (C1, A3, A4)."""
    game["king"] = game["to_move"]
    score_round(game)
    if game["round"] == _LAST:
        end(game)
    else:
        game["round"] += 1
        deal(game)


@rule
def end(game: Record) -> None:
    """End the game, leaving taken cards to be seen (Rules C1, C4)."""
    game["winners"][winner_of(game)] = 1
    clear_front(game)
    game["hand"][:, :] = 0
    game["hand_size"][:] = 0
    game["to_move"] = NOBODY


@rule
def score_round(game: Record) -> None:
    """Award the round's pieces (Rules C2, C3)."""
    if game["round"] == _LAST:
        swap(game, fewest(game))
    pieces = game["pieces"][game["round"]]
    players = game["players"]
    ranked = 0  # seats that have had their turn, as bits
    for rank in range(players):
        seat = next_in_rank(game, ranked)
        ranked |= 1 << seat
        award(game, seat, pieces[rank] if rank < players - 1 else 0)
    pieces[:] = 0


@rule
def award(game: Record, seat: int, length: int) -> None:
    """Give a seat its piece; the last seat, and one that took nothing, get none (Rules C2)."""
    if length > 0 and game["taken_count"][seat] > 0:
        add_piece(game, seat, length)


@rule
def next_in_rank(game: Record, ranked: int) -> int:
    """Who took most, of those unranked; ties go clockwise, the King's seat last (Rules C2)."""
    best = NOBODY
    for place in range(1, game["players"] + 1):
        seat = seat_at(game["king"], place, game["players"])
        if (ranked >> seat) & 1:
            continue
        if best == NOBODY or game["taken_count"][seat] > game["taken_count"][best]:
            best = seat
    return best


@rule
def fewest(game: Record) -> int:
    """Who took least; ties go clockwise from the King's seat (Rules C3)."""
    best = game["king"]
    for place in range(1, game["players"]):
        seat = seat_at(game["king"], place, game["players"])
        if game["taken_count"][seat] < game["taken_count"][best]:
            best = seat
    return best


@rule
def swap(game: Record, seat: int) -> None:
    """Swap a seat's longest piece if longer than the shortest on offer (Rules C3)."""
    pieces = game["pieces"][game["round"]]
    shortest = game["players"] - 2
    longest = game["road"][seat, 0]
    offered = pieces[shortest]
    if longest < offered:
        return
    for place in range(_LAST):
        game["road"][seat, place] = game["road"][seat, place + 1]
    game["road"][seat, _LAST] = 0
    add_piece(game, seat, offered)
    insert(pieces, shortest, longest)


@rule
def add_piece(game: Record, seat: int, length: int) -> None:
    """Add a piece to a road, long to short."""
    road = game["road"][seat]
    free = 0
    while road[free]:
        free += 1
    insert(road, free, length)


@rule
def insert(lengths: Any, free: int, length: int) -> None:
    """Insert into lengths sorted long to short, where place `free` is free."""
    place = free
    while place > 0 and lengths[place - 1] < length:
        lengths[place] = lengths[place - 1]
        place -= 1
    lengths[place] = length


@rule
def road_length(game: Record, seat: int) -> int:
    """A road's length."""
    length = 0
    for place in range(t.N_ROUNDS):
        length += int(game["road"][seat, place])
    return length


@rule
def winner_of(game: Record) -> int:
    """Whose road is shortest; ties go clockwise from the King's seat (Rules C4)."""
    winner = game["king"]
    for place in range(1, game["players"]):
        seat = seat_at(game["king"], place, game["players"])
        if road_length(game, seat) < road_length(game, winner):
            winner = seat
    return winner


@rule
def scores(game: Record, out: Any) -> None:
    """Write negated road lengths, so that more is better, into int16[seats] (Rules C4)."""
    for seat in range(t.N_SEATS):
        out[seat] = -road_length(game, seat)
