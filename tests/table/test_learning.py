"""Learning a game: the page "How to play", the guided game, and terms."""

import re
from dataclasses import replace
from html import unescape

import pytest

from shakespeare_env import Position
from shakespeare_env.rulebook import numbered_rules
from shakespeare_table.browser.learn import example, explanations, guidance, pictures
from shakespeare_table.browser.lessons import LEARNER, first_fitting, lesson, variables
from tests.table.tables import moves, play, seen

RULE = re.compile(r"\[([A-Z]+\d+\w?)\]")
MAX_MOVES = 400


@pytest.fixture(params=["shakespeare", "figaro"])
def taught(request):
    """A lesson."""
    found = lesson(request.param)
    assert found is not None
    return found


def learners_views(game):
    """The variables of every position of the guided game in which the learner decides."""
    own = [one for one in example(game).positions if one.to_move == LEARNER]
    return [variables(position, LEARNER) for position in own]


def test_every_section_has_a_picture_from_the_guided_game(taught):
    views = learners_views(taught.game)
    for section, panels in zip(taught.sections, pictures(taught.game), strict=True):
        assert any(section.picture.condition(one) for one in views), section.title
        assert panels, section.title


def test_topics_that_a_lesson_names_exist(taught):
    named = set(taught.terms.values())
    named |= {topic for section in taught.sections for topic in section.topics}
    assert named <= explanations(taught.game).keys()


def test_rules_that_a_lesson_names_exist(taught):
    said = [taught.lead, taught.end]
    said += [section.text for section in taught.sections]
    guide_texts = [*taught.decisions, *taught.reasons, *taught.notes]
    said += [one.first + (one.again or "") for one in guide_texts]
    named = set(RULE.findall(" ".join(said)))
    assert named
    assert named <= {number for number, _, _ in numbered_rules(taught.game)}


def test_every_decision_and_every_kind_of_move_has_a_text_wherever_one_goes(taught):
    """Moves are played that nobody would suggest."""
    position = Position.new(taught.game, players=3, seed=0)
    for number in range(MAX_MOVES):
        seat = position.to_move
        if seat is None:
            break
        legal = position.moves()
        for move in {one.partition(":")[0]: one for one in legal}.values():
            values = variables(position, seat, move)
            reason = first_fitting(taught.reasons, values)
            assert reason is not None, move
            assert all("{" not in reason.said(times, values) for times in range(3))
        if seat == LEARNER:
            assert first_fitting(taught.decisions, variables(position, LEARNER))
        position.push(legal[number * 7 % len(legal)])


def test_every_note_is_said_in_some_position(taught):
    views = learners_views(taught.game)
    position = Position.new(taught.game, players=3, seed=0)
    for number in range(MAX_MOVES):
        if position.to_move is None:
            break
        if position.to_move == LEARNER:
            views.append(variables(position, LEARNER))
        legal = position.moves()
        position.push(legal[number * 7 % len(legal)])
    assert all(any(note.condition(one) for one in views) for note in taught.notes)


def test_the_guide_says_the_same_whatever_is_hidden(taught):
    played = example(taught.game)
    own = [at for at, one in enumerate(played.positions) if one.to_move == LEARNER]
    for at in own[::12]:
        now = played.up_to(at)
        possible = now.position.determinize(LEARNER, 5)
        other = replace(now, id="other", positions=[*now.positions[:-1], possible])
        assert guidance(other) == guidance(now)


def suggestion(page):
    """The move that the guide suggests."""
    return unescape(re.findall(r'data-move="([^"]+)"', page.text)[0])


def is_over(page):
    return "/review/table/" in page.text


def test_the_guide_goes_on_after_another_move_and_leads_to_the_end(client):
    address = client.post("/learn/figaro/first-game").url.path
    page = seen(client, address, moves)
    assert "Welcome!" in page.text
    has_deviated = False
    while not is_over(page):
        move = suggestion(page)
        assert move in moves(page)
        others = [one for one in moves(page) if one != move]
        deviates = bool(others) and not has_deviated
        play(client, address, page, others[0] if deviates else move)
        page = seen(client, address, lambda it: moves(it) or is_over(it))
        if deviates:
            assert "That is allowed" in page.text
            has_deviated = True
    assert has_deviated
    assert "The game is over" in page.text
    assert "How each score came about" in page.text
