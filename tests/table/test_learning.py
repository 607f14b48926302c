"""Learning a game: how to play, the guided game, terms."""

import re
from dataclasses import replace
from html import unescape

import pytest

from shakespeare_env import Position
from shakespeare_env.rulebook import rules_of
from shakespeare_table.browser.learn import example, guidance, pictures, topics
from shakespeare_table.browser.lessons import SEAT, fitting, lesson, view
from tests.table.tables import moves, play, seen

GAMES = ("shakespeare", "figaro")
_RULE = re.compile(r"\[([A-Z]+\d+\w?)\]")


@pytest.mark.parametrize("game", GAMES)
def test_what_a_lesson_names_exists(game):
    """Pictures, topics and rules of lessons are those of the game; all phases are taught."""
    taught, played = lesson(game), example(game)
    assert taught is not None
    own = [position for position in played.positions if position.to_move == SEAT]
    views = [view(position, SEAT) for position in own]
    known = topics(game)
    for section, panels in zip(taught.sections, pictures(game), strict=True):
        assert any(section.picture.condition(one) for one in views), section.title
        assert panels, section.title
        assert set(section.topics) <= known.keys(), section.title
    assert set(taught.terms.values()) <= known.keys()
    said = [taught.lead, taught.end, *(section.text for section in taught.sections)]
    said += [one.first + (one.again or "") for one in [*taught.asked, *taught.why, *taught.notes]]
    named = set(_RULE.findall(" ".join(said)))
    assert named
    assert named <= {number for number, _, _ in rules_of(game)}


@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_has_a_reason_for_every_kind_of_move_wherever_one_goes(game):
    """Moves are played that nobody would suggest."""
    position, taught, number = Position.new(game, players=3, seed=0), lesson(game), 0
    assert taught is not None
    views = [view(one, SEAT) for one in example(game).positions if one.to_move == SEAT]
    while position.to_move is not None and number < 400:
        seat, legal = position.to_move, position.moves()
        for move in {one.partition(":")[0]: one for one in legal}.values():
            seen = view(position, seat, move)
            reason = fitting(taught.why, seen)
            assert reason is not None, move
            assert all("{" not in reason.at(time, seen) for time in range(3))
        if seat == SEAT:
            views.append(view(position, SEAT))
            assert fitting(taught.asked, views[-1])
        position.push(legal[number * 7 % len(legal)])
        number += 1
    assert all(any(note.condition(one) for one in views) for note in taught.notes)


@pytest.mark.parametrize("game", GAMES)
def test_the_guide_says_the_same_whatever_is_hidden(game):
    played = example(game)
    own = [at for at, one in enumerate(played.positions) if one.to_move == SEAT]
    for at in own[::12]:
        now = played.up_to(at)
        possible = now.position.determinize(SEAT, 5)
        other = replace(now, id="other", positions=[*now.positions[:-1], possible])
        assert guidance(other) == guidance(now)


def test_the_guide_goes_on_after_another_move_and_leads_to_the_end(client):
    address = client.post("/learn/figaro/first-game").url.path
    page = seen(client, address, moves)
    assert "Welcome!" in page.text
    deviated = noticed = False
    while 'href="/review/table/' not in page.text:
        legal = moves(page)
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
