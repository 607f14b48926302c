"""Learning a game: how to play, the guided game, terms, puzzles, levels, hints."""

import re
from dataclasses import replace
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest

from shakespeare_agents.analysis import Analyst
from shakespeare_agents.analysis.puzzles import LEAST_LOSS
from shakespeare_agents.analysis.reasons import reasons
from shakespeare_agents.registry import make
from shakespeare_agents.table.learning.desk import LearningDesk
from shakespeare_agents.table.learning.guide import sure_events
from shakespeare_agents.table.learning.lessons import SEAT, holds, lesson, view
from shakespeare_agents.table.learning.levels import levels_of
from shakespeare_agents.table.learning.puzzle_set import puzzles_of, stands
from shakespeare_agents.table.learning.rules import rules_of
from shakespeare_env import Position
from shakespeare_env.core import registry
from tests.table.tables import HTMX, begin, field, moves, play, seen

GAMES = ("shakespeare", "figaro")
_MOST_WORDS = {"shakespeare": 4400, "figaro": 2200}
"""Of the guide in a guided game: about 20 and 10 minutes of reading."""
LEADERBOARDS = Path(__file__).parents[2] / "docs" / "leaderboards.md"
_RULE = re.compile(r"\[([A-Z]+\d+\w?)\]")
_ROW = re.compile(r"\| [\d=]+ \| `(?P<agent>[^`]+)` \| (?P<elo>[−\d,]+) \(")


@pytest.fixture(scope="module")
def desk():
    return LearningDesk()


@pytest.mark.parametrize("game", GAMES)
def test_what_a_lesson_names_exists(desk, game):
    """Pictures, topics and rules of lessons are those of the game; all phases are taught."""
    taught, example = lesson(game), desk.example(game)
    assert taught is not None
    own = [position for position in example.positions if position.to_move == SEAT]
    views = [view(position, SEAT) for position in own]
    topics = desk.topics(game)
    for section, panels in zip(taught.sections, desk.pictures(game), strict=True):
        assert any(holds(section.picture.condition, one) for one in views), section.title
        assert panels, section.title
        assert set(section.topics) <= topics.keys(), section.title
    assert set(taught.terms.values()) <= topics.keys()
    views += [view(one, SEAT) for one in _random_game(game)]
    assert all(taught.question(one) is not None for one in views)
    assert all(any(holds(condition, one) for one in views) for condition, _ in taught.notes)
    moves_played = zip(example.positions, example.moves, strict=False)
    told = {event.text for now, move in moves_played for event in now.events(move)}
    for heading in taught.facts.headings:
        assert any(re.fullmatch(heading, text) for text in told), heading
    said = [taught.lead, taught.end, *(section.text for section in taught.sections)]
    said += [one.first + one.again for _, one in [*taught.asked, *taught.why]]
    said += [text for _, text in taught.notes]
    named = set(_RULE.findall(" ".join(said)))
    assert named
    assert named <= {number for number, _, _ in rules_of(game)}
    assert not re.search(r"\b(click|tap)", " ".join(said), re.IGNORECASE)  # mouse, finger or keys
    assert "istakes to avoid" in taught.end or "mistake to avoid" in taught.end


def _random_game(game):
    """Positions in which the learner decides after moves that nobody would suggest."""
    position, number = Position.new(game, players=3, seed=0), 0
    while position.to_move is not None:
        legal = position.moves()
        if position.to_move == SEAT:
            yield position.copy()
        position.push(legal[number * 7 % len(legal)])
        number += 1


@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_has_a_reason_for_every_kind_of_move_wherever_one_goes(game):
    """Moves are played that nobody would suggest."""
    position, taught, number = Position.new(game, players=3, seed=4), lesson(game), 0
    assert taught is not None
    while position.to_move is not None and number < 400:
        seat, legal = position.to_move, position.moves()
        for move in {one.partition(":")[0]: one for one in legal}.values():
            seen = view(position, seat, move)
            reason = taught.reason(seen)
            assert reason is not None, move
            for text in (taught.why[reason][1].first, taught.why[reason][1].later):
                assert "{" not in text.format_map(seen)
        position.push(legal[number * 7 % len(legal)])
        number += 1


def test_what_is_said_of_one_more_card_is_true_by_the_total():
    """Figaro: cards of value 1, 2 and 3; six or more makes the seat take everything."""
    taught, told = lesson("figaro"), set()
    assert taught is not None
    reaching = {5: "even a 1", 4: "2 or a 3", 3: "only a 3", 2: "No single", 1: "No single"}
    for position in _random_game("figaro"):
        for move in position.moves():
            seen_now = view(position, SEAT, move, sure_events(position, move))
            number = taught.reason(seen_now)
            assert number is not None
            said, own = taught.why[number][1].again, f">{SEAT}" in move
            found = re.search(r"total (\d+)", seen_now["told"])
            total = int(found[1]) if move.startswith("play") and found else 0
            if total >= 6:
                assert "take everything" in said if own else "Six or more" in said
            elif total > 3 or (total and own):
                assert reaching[total].lower() in said.lower(), (move, total, said)
                told.add((total, own))
            else:
                assert "makes its owner" not in said
    assert len(told) == 7


def test_a_suggested_goal_and_its_reason_agree_with_what_goals_pay_now(desk):
    """Shakespeare: late the best one now is suggested; an earlier one says what pays more."""
    example, days = desk.example("shakespeare"), set()
    for at, position in enumerate(example.positions):
        if position.to_move != SEAT or position.phase != "objective":
            continue
        guidance = desk.guide.says(example.up_to(at), SEAT)
        pays = {
            line.partition(":")[0]: int((re.findall(r"\+(\d+)", line) or [0])[0])
            for line in guidance.compared
        }
        (own,) = (name for name in pays if f'"{name}"' in guidance.words)
        best, day = max(pays, key=lambda name: pays[name]), position.seen_by(SEAT)["day"]
        if pays[own] < pays[best]:
            assert day < 4
            assert f"“{best}” pays more today" in guidance.why
            assert f"+{pays[best]}" in guidance.why
        else:
            assert "None of these pays more now" in guidance.why
            assert f"+{pays[own]}" in guidance.why
        days.add(day)
    assert min(days) < 4 <= max(days)


def test_numbers_of_characters_that_rest_are_said_in_grammar(desk):
    example = desk.example("shakespeare")
    own = [at for at, one in enumerate(example.positions) if one.phase == "wager"]
    said = [desk.guide.says(example.up_to(at), SEAT) for at in own]
    words = [one.why for one in said if one is not None]
    assert any("One of your characters rests" in why for why in words)
    assert not any(re.match(r"1\b", why) for why in words)


@pytest.mark.parametrize("game", GAMES)
def test_the_guide_says_the_same_whatever_is_hidden(desk, game):
    example = desk.example(game)
    own = [at for at, one in enumerate(example.positions) if one.to_move == SEAT]
    for at in own[::12]:
        now = example.up_to(at)
        possible = now.position.determinize(SEAT, 5)
        other = replace(now, id="other", positions=[*now.positions[:-1], possible])
        assert desk.guide.says(other, SEAT) == desk.guide.says(now, SEAT)


def _guided(client, game):
    address = client.post(f"/learn/{game}/first-game").url.path
    return address, seen(client, address, moves)


@pytest.mark.parametrize("game", GAMES)
def test_the_guide_goes_on_after_another_move_and_leads_to_the_end(client, game):
    address, page = _guided(client, game)
    assert "Welcome!" in page.text
    assert "data-guide" in page.text
    guide = page.text[page.text.index('id="guide-says"') :]
    places = [guide.index(mark) for mark in ("suggestion", "guide-why", "guide-text", "Welcome!")]
    assert places == sorted(places)  # what scrolls comes last
    deviated, noticed, words = False, False, 0
    while 'href="/review/table/' not in page.text:
        legal = moves(page)
        guide = page.text[page.text.index('id="guide-says"') :].partition("guide-handle")[0]
        words += len(re.sub(r"<[^>]*>", " ", guide).split())
        move = unescape(re.findall(r'data-move="([^"]+)"', page.text)[0])
        assert move in legal
        others = [one for one in legal if one != move]
        if others and not deviated:
            deviated, move = True, others[0]
        play(client, address, page, move)
        page = seen(client, address, lambda it: moves(it) or "/review/table/" in it.text)
        if deviated and not noticed:
            assert "That is allowed" in page.text
            noticed = True
    assert "The game is over" in page.text
    assert "How each score came about" in page.text
    assert words < _MOST_WORDS[game]
    assert client.get(f"{address}/guide").status_code == 200


def test_a_table_of_its_own_has_no_guide_but_explains(client):
    page = begin(client, "shakespeare", ["person", "random"], seed=12)
    assert 'id="guide"' not in page.text
    assert "How do I win?" in page.text
    assert client.get(f"{page.url.path}/guide").status_code == 204
    assert "most prestige" in client.get("/learn/shakespeare/explain?name=win").text


@pytest.mark.parametrize(
    "path", ["/learn/chess", "/rules/chess", "/puzzles/chess", "/puzzles/figaro/99"]
)
def test_what_is_not_taught_is_not_found(client, path):
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("game", GAMES)
def test_puzzles_have_one_clearly_best_move_and_all_grades(game):
    found = puzzles_of(game)
    assert 20 <= len(found) <= 40
    assert {puzzle.grade for puzzle in found} == {1, 2, 3}
    for number, puzzle in enumerate(found, 1):
        position = stands(game, number, puzzle).position
        assert set(puzzle.worths) == set(position.moves())
        first, second, *_ = puzzle.worths.values()
        assert next(iter(puzzle.worths)) == puzzle.best
        assert first - second >= LEAST_LOSS - 1e-9
        assert puzzle.loss - puzzle.margin > 0.1


def test_a_puzzle_says_whether_a_move_is_right_and_shows_no_secret(client):
    puzzle = puzzles_of("figaro")[0]
    page = client.get("/puzzles/figaro/1")
    seat = puzzle.position["to_move"]
    assert moves(page) == stands("figaro", 1, puzzle).position.moves()
    assert "before you" in page.text
    assert "before seat" not in page.text
    assert 'class="primary"' not in page.text
    hidden = stands("figaro", 1, puzzle).position.seen_by(seat)["hands"]
    assert all(set(hand) == {"?"} or not hand for at, hand in enumerate(hidden) if at != seat)
    wrong = list(puzzle.worths)[-1]
    said = client.post("/puzzles/figaro/1/play", data={"move": wrong}, headers=HTMX)
    assert "Not the best move" in said.text
    assert "data-solved" not in said.text
    said = client.post("/puzzles/figaro/1/play", data={"move": puzzle.best}, headers=HTMX)
    assert "Right!" in said.text
    assert "data-solved" in said.text
    whole = client.post("/puzzles/figaro/1/play", data={"move": puzzle.best})
    assert "Solved." in whole.text
    assert "which move is clearly best" not in whole.text
    said = client.post("/puzzles/figaro/1/play", data={"solve": "1"}, headers=HTMX)
    assert "The solution" in said.text
    assert "data-solved" not in said.text
    assert client.post("/puzzles/figaro/1/play", data={"move": "x"}).status_code == 400


@pytest.mark.parametrize("game", GAMES)
def test_levels_are_ordered_as_the_leaderboard_has_measured(client, game):
    """On every ladder on which two neighbouring levels stand."""
    levels = levels_of(game)
    sections = re.split(r"^## ", LEADERBOARDS.read_text("utf-8"), flags=re.M)
    (section,) = (text for text in sections if text.startswith(game.capitalize()))
    ladders = [
        {row["agent"]: int(row["elo"].replace("−", "-").replace(",", "")) for row in rows}
        for rows in (list(_ROW.finditer(part)) for part in section.split(" seats, "))
        if rows
    ]
    assert len(ladders) == len([n for n in registry.seats(game) if n > 1])
    for weaker, stronger in pairwise(levels):
        both = [one for one in ladders if {weaker.measured, stronger.measured} <= one.keys()]
        assert both
        for ladder in both:
            assert ladder[weaker.measured] < ladder[stronger.measured], (weaker, stronger)
    form = unescape(client.get("/", params={"game": game, "players": 3}).text)
    places = [form.index(f'<option value="{level.agent}"') for level in levels]
    assert places == sorted(places)
    for level in levels:
        make(level.agent, registry.game(game))
    assert f'href="/learn/{game}#first-game"' in form
    assert 'id="first-game"' in client.get(f"/learn/{game}").text


@pytest.mark.parametrize("game", GAMES)
def test_reasons_hold_no_more_than_the_seat_knows_and_add_up(game):
    position = Position.new(game, players=3, seed=2)
    while len(position.moves()) < 4:
        position.push(position.moves()[0])
    analyst = Analyst(registry.game(game), "heuristic")
    *_, found = reasons(position, analyst)
    assert {found.move, found.other} <= set(position.moves())
    assert found.rows
    assert found.pairs
    gains = [abs(row.gain) for row in found.rows]
    assert gains == sorted(gains, reverse=True)
    assert position.to_move is not None
    other_game = position.determinize(position.to_move, 5)
    *_, again = reasons(other_game, analyst)
    assert again == found


def test_a_hint_says_why(client):
    page = begin(client, "figaro", ["person", "random", "random"], seed=3)
    address = page.url.path
    page = seen(client, address, moves)
    said = client.get(f"{address}/hint")
    assert "is best when games are played on" in said.text
    assert "possible games" in said.text
    assert field(page, "number") == field(client.get(address), "number")
    (watching, *_) = re.findall(r'href="(/watch/[\w-]+)"', page.text)
    assert client.get(f"{watching}/hint").status_code == 400
