"""What cards and things on the table do, in words, with the box's numbers."""

from shakespeare_env.figaro.glossary import topics
from shakespeare_env.figaro.redaction import seen_by
from tests.figaro.cards import deck
from tests.figaro.positions import position


def lines(name, **fields):
    return topics(position(**fields))[name].split("\n")


def test_every_kind_of_card_is_a_topic():
    for players in (3, 4, 6):
        known = topics(position(players=players))
        assert {card for card, copies in deck(players).items() if copies} <= set(known)


def test_a_card_tells_its_copies_where_they_are_seen():
    d = position(hands={0: "red-3", 1: "red-1 red-1", 2: "..."}, front={2: "red-1 red-2"}, heap=3)
    assert topics(d)["red-1"].split("\n") == [
        "Red of value 1, 3 in play.",
        "Now: 2 in the hand of seat 1; 1 before seat 2.",
    ]
    assert topics(seen_by(d, 0))["red-1"].split("\n")[1] == "Now: 1 before seat 2."
    assert topics(seen_by(d, 0))["red-3"].split("\n")[1] == "Now: 1 in the hand of seat 0."
    assert topics(seen_by(d, 1))["red-3"].split("\n")[1] == "Now: unseen."


def test_a_colour_tells_where_it_lies():
    assert lines("red", front={2: "jester-1 red-2"})[1] == "Now: before seat 2."
    assert lines("blue", front={2: "red-2"})[1] == "Now: before nobody."
    assert lines("purple", players=3) == ["Not in play with so few seats."]


def test_moves_tell_totals_and_what_lies_face_up():
    front = {1: "red-2 jester-1", 3: "ring"}
    assert lines("play", front=front)[1] == "Now: seat 0: 0; seat 1: 3; seat 2: 0; seat 3: 0."
    assert lines("take", front=front)[1] == "Now face up: 3 cards."
    assert "At a total of 6 or more" in lines("play")[0]


def test_the_table_tells_cards_roads_and_pieces():
    roads = [[15], [12], [9], []]
    assert lines("road", roads=roads)[1] == "Now: seat 0: 15; seat 1: 12; seat 2: 9; seat 3: 0."
    assert lines("piece", in_round=2)[1] == "Now to come: round 2: 14, 11, 8; round 3: 13, 10, 7."
    assert lines("hand", hands={0: "ring"})[1].startswith("Now: seat 0: 1;")
    assert lines("king", king=3)[1] == "Now: seat 3."
