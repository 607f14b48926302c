"""The board in pieces: a place for every move, names that stay, nothing too wide for a phone."""

import re
from collections import Counter, defaultdict
from itertools import combinations
from xml.etree import ElementTree

import pytest

from shakespeare_env.drawing.board import piece_svg
from shakespeare_env.shakespeare.drawing.board import board
from shakespeare_env.shakespeare.drawing.places import places
from tests.contract.random_games import PLAIN_TABLES, sampled
from tests.drawings import texts
from tests.shakespeare.positions import position, seat, turn_position

SHAKESPEARE = [table for table in PLAIN_TABLES if table.game == "shakespeare"]
NAMES = ("Anna", "heuristic-2", "Clara of the long name", 'D & <D> "')
WIDEST = 420
BUTTONS = ("pass", "done")


def pieces(game, names=()):
    """Every piece of a board by its name."""
    panels = board(game, names)
    assert len({panel.name for panel in panels}) == len(panels)
    found = [piece for panel in panels for piece in panel.pieces]
    assert len({piece.name for piece in found}) == len(found)
    return {piece.name: piece for piece in found}


def drawn(piece):
    return piece_svg(piece, f"piece-{piece.name}")


def places_on(game):
    """How often each place is on the board."""
    counts: Counter[str] = Counter()
    for piece in pieces(game).values():
        root = ElementTree.fromstring(drawn(piece))
        counts.update(place for part in root.iter() if (place := part.get("data-place")))
    return counts


def may_share(one, other):
    """Whether two moves are meant to be told apart after all their places are clicked."""
    kinds = {one.partition(":")[0], other.partition(":")[0]}
    cards = {move.partition(":")[2].removesuffix("+3") for move in (one, other)}
    return len(cards) == 1 and kinds in ({"recruit", "extra"}, {"activate"})


@pytest.mark.parametrize("table", SHAKESPEARE, ids=str)
def test_every_move_has_its_places_on_the_movers_board(table):
    phases = set()
    for game in sampled(table, seed=1, every=25):
        if game.to_move is None:
            continue
        phases.add(game.phase)
        seen = game.seen_by(game.to_move)
        there, moves_at = places_on(seen), defaultdict(list)
        for move in game.moves():
            where = places(seen, move)
            assert where == places(game.to_dict(), move)
            assert bool(where) == (move not in BUTTONS), move
            assert all(there[place] == 1 for place in where), (move, where)
            moves_at[where].append(move)
        moves_at.pop((), None)
        for moves in moves_at.values():
            assert all(may_share(*pair) for pair in combinations(moves, 2)), moves
    assert {"draft", "turn", "craft", "quill", "queen", "objective"} <= phases


@pytest.mark.parametrize("players", [1, 4])
def test_every_place_is_on_the_board_once_and_of_plain_letters(players):
    hired = ["othello", "extra:lear", "jeweler", "jeweler"]
    game = turn_position(
        players=players,
        seats={0: seat(hired, objectives=["jewels", "wardrobe"], stage={"a1": "blue"})},
        shown=["assistant", "assistant", "hamlet", "viola", "romeo", "puck"][: players + 2],
    )
    there = places_on(game)
    assert set(there.values()) == {1}
    assert all(re.fullmatch(r"[\w.-]+", place) for place in there)
    assert {
        "display.characters.assistant", "display.costumes.black", "display.sets.yellow",
        "piles.II.10", "seat0.troupe.0", "seat0.troupe.7", "seat0.stage.c3", "seat0.prestige",
        "seat0.pounds", "seat0.mood", "seat0.tokens", "seat0.objectives.1", "order", "initiative",
    } <= set(there)  # fmt: skip


class TestPlaces:
    """Where copies lie, the one that the engine uses."""

    def test_the_first_copy_that_is_free_is_activated(self):
        mine = seat(["jeweler", "jeweler", "extra:jeweler", "jeweler"], used=["jeweler"])
        mine["troupe"][5]["rest"] = True
        game = turn_position(seats={0: mine})
        assert places(game, "activate:jeweler") == ("seat0.troupe.7",)

    def test_a_token_changes_no_place(self):
        game = turn_position(players=2, seats={1: seat(["set_dresser_6"])}, to_move=1)
        assert places(game, "activate:set_dresser_6+3") == ("seat1.troupe.4",)

    def test_the_first_copy_that_was_activated_stays_free(self):
        mine = seat(["jeweler", "jeweler"])
        mine["troupe"][5]["cylinder"] = True
        game = position("rest", seats={0: mine})
        assert places(game, "keep:jeweler") == ("seat0.troupe.5",)

    def test_elements_are_taken_and_then_placed(self):
        game = position("craft", seats={0: seat(["extra:lear", "extra:puck", "lear"])})
        assert places(game, "costume:pink>extra2") == ("display.costumes.pink", "seat0.troupe.5")
        assert places(game, "costume:pink>lear") == ("display.costumes.pink", "seat0.troupe.6")
        assert places(game, "set:blue>b2") == ("display.sets.blue", "seat0.stage.b2")

    def test_a_disc_arrives_on_the_space_ahead_or_behind(self):
        acts = {"I": {7: [2, 0]}, "II": {4: [0]}}
        assert places(position("quill", acts=acts), "quill:I") == ("piles.I.8",)
        assert places(position("back", acts=acts), "back:II") == ("piles.II.3",)

    def test_wagers_and_the_queen(self):
        assert places(position("wager", to_move=2), "wager:4") == ("seat2.cylinders.4",)
        assert places(position("queen"), "queen:money") == ("queen.money",)
        assert places(position("objective"), "objective:jewels") == ("pending.drawn.jewels",)


@pytest.mark.parametrize("table", SHAKESPEARE[-1:], ids=str)
def test_pieces_fit_a_phone_and_hold_their_text(table):
    for game in sampled(table, seed=2, every=60):
        viewer = game.to_move or 0
        for piece in pieces(game.seen_by(viewer), NAMES).values():
            width, height = piece.block.width, piece.block.height
            assert width <= WIDEST
            assert re.fullmatch(r"[\w-]+", piece.name)
            assert piece.title
            for line in texts(drawn(piece)):
                assert line.left >= -0.5, (piece.name, line)
                assert line.right <= width + 0.5, (piece.name, line)
                assert line.top >= 0, (piece.name, line)
                assert line.bottom <= height, (piece.name, line)
                assert line.room is None or line.width <= line.room + 0.5, (piece.name, line)


class TestPieces:
    """What each piece shows, to eyes and to screen readers."""

    def test_a_board_comes_table_first_then_every_seat(self):
        panels = board(turn_position(players=3), NAMES[:3])
        assert [panel.seat for panel in panels][-3:] == [0, 1, 2]
        assert {panel.seat for panel in panels[:-3]} == {None}
        assert panels[-2].title == "Seat 1, heuristic-2"

    def test_names_stay_from_position_to_position(self):
        before = turn_position(seats={0: seat(["viola"])}, shown=["hamlet", "puck"])
        after = turn_position(seats={0: seat(["viola", "hamlet"])}, shown=["puck"])
        gone, new = set(pieces(before)), set(pieces(after))
        assert gone - new == {"character-hamlet"}
        assert new - gone == {"seat-0-troupe-5"}

    def test_names_of_players_head_their_seats(self):
        state = drawn(pieces(turn_position(), NAMES)["seat-3-state"])
        assert texts(state)[0].text == 'Seat 3 · D & <D> "'
        label = ElementTree.fromstring(state).get("aria-label") or ""
        assert label.startswith('Seat 3, D & <D> ": 5 prestige')

    def test_copies_on_offer_are_one_card_counted(self):
        found = pieces(turn_position(shown=["jeweler", "jeweler", "hamlet"]))
        assert found["character-jeweler"].title == "Jeweler, jeweler, costs 3 pounds, 2 copies"
        assert "jeweler ×2" in [line.text for line in texts(drawn(found["character-jeweler"]))]
        assert found["character-hamlet"].title == "Hamlet, actor, costs 3 pounds"

    def test_titles_say_what_is_on_a_piece(self):
        mine = seat(
            ["lear", "extra:viola"],
            used=["lear"],
            costumes={"lear": ["black", "blue"]},
            stage={"a1": "blue", "b2": "black"},
            objectives=["jewels"],
            prestige=7,
            pounds=1,
        )
        found = {
            name: piece.title
            for name, piece in pieces(turn_position(seats={1: mine}, to_move=1)).items()
        }
        assert found["seat-1-stage"] == "Stage of seat 1: a1 blue, b2 black"
        assert found["seat-0-stage"] == "Stage of seat 0: empty"
        lear = "Lear, actor, wage 3 pounds, activated, costume black blue, value 5"
        assert found["seat-1-troupe-4"] == lear
        assert found["seat-1-troupe-5"] == "Viola, extra1"
        told = found["seat-1-state"]
        assert told.startswith("Seat 1: 7 prestige, 1 pound, mood 0")
        assert told.endswith("decides, objectives: Yellow elements brings 0 now")
        assert "Act I: seat 0 on 1, " in found["acts"]
        assert "player order: seats 0, 1, 2, 3" in found["tracks"]
        assert found["elements"] == "On offer: costumes none; stage sets none"

    def test_what_is_to_be_chosen_comes_first(self):
        assert [piece.name for piece in board(position("queen"))[0].pieces] == [
            "queen-money",
            "queen-objectives",
        ]
        drawn_cards = {"drawn": ["jewels", "wardrobe", "great_company"]}
        first = board(position("objective", pending=drawn_cards))[0]
        assert [piece.name for piece in first.pieces] == ["drawn-1", "drawn-2", "drawn-3"]
        assert first.pieces[2].title == "Objective Actors in the troupe brings 0 now"
        told = [line.text for line in texts(drawn(first.pieces[1]))]
        assert told[:1] == ["Complete costumes"]
        assert {"4 →", "+2", "5 →", "+3"} <= set(told)

    def test_objectives_drawn_by_others_show_their_backs(self):
        game = position("objective", pending={"drawn": ["?", "?", "?"]})
        first = board(game)[0]
        assert {piece.title for piece in first.pieces} == {"Unknown objective"}
        assert "data-place" not in drawn(first.pieces[0])

    def test_colours_are_words_and_values_too(self):
        """Whoever sees no colours reads them."""
        mine = seat(stage={"a1": "green", "a5": "green"}, costumes={"author": ["pink"]})
        found = pieces(turn_position(seats={0: mine}, costumes={"purple": 2}))
        wall = [line.text for line in texts(drawn(found["seat-0-stage"]))]
        assert wall.count("green") == 2
        assert "2" in [line.text for line in texts(drawn(found["seat-0-troupe-0"]))]
        offered = [line.text for line in texts(drawn(found["elements"]))]
        assert "purple 3" in offered

    def test_a_wager_shows_its_choices(self):
        game = position("wager", to_move=0)
        game["seats"][0]["wager"] = 4
        there = places_on(game)
        assert {f"seat0.cylinders.{number}" for number in range(1, 6)} <= set(there)
        assert pieces(game)["seat-0-state"].title.endswith("wagers 4, decides")

    def test_a_whole_board_is_small(self):
        def full():
            return seat(
                ["othello", "extra:lear", "viola", "portia", "jeweler", "extra:puck", "romeo"],
                costumes={"viola": ["pink", "blue", "blue"], "extra1": ["black"] * 3},
                stage=dict.fromkeys(("a1", "a5", "b2", "b3"), "black") | {"a2": "blue"},
                objectives=["jewels", "wardrobe", "patronage"],
            )

        game = turn_position(others=full)
        assert sum(len(drawn(piece)) for piece in pieces(game, NAMES).values()) < 170_000
