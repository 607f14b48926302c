"""The page "How to play", the guided game, and the terms that pages explain."""

import random
import re
from dataclasses import replace
from html import unescape

import pytest

from shakespeare_agents.making import make
from shakespeare_env import Position
from shakespeare_env.core.seat_names import YOU
from shakespeare_env.rulebook import numbered_rules
from shakespeare_table.analysis.analyst import Analyst
from shakespeare_table.analysis.deviation import Deviation, judge_deviation
from shakespeare_table.analysis.evaluation import Difference
from shakespeare_table.analysis.playouts import advise
from shakespeare_table.analysis.reasons import Finding, Reasons
from shakespeare_table.browser.learn import (
    deviation_in_words,
    example_game,
    explanations,
    guidance,
    pictures,
)
from shakespeare_table.browser.learning.lessons import LEARNER, first_fitting, lesson, variables
from shakespeare_table.browser.tables.state import first_state
from shakespeare_table.session import choose
from tests.table.tables import moves, play, wait_for_page

RULE = re.compile(r"\[([A-Z]+\d+\w?)\]")
VERDICT = r"^(About [\d.]+ (points? (worse|better)|% (less|more))|That makes no clear difference)"
MAX_MOVES = 400


@pytest.fixture(params=["shakespeare", "figaro"])
def taught(request):
    """A lesson."""
    taught = lesson(request.param)
    assert taught is not None
    return taught


def learners_views(game):
    """Return the variables of each position of the guided game in which the learner decides."""
    positions = example_game(game).positions
    return [variables(each, LEARNER) for each in positions if each.to_move == LEARNER]


def test_every_section_has_a_picture_from_the_guided_game(taught):
    views = learners_views(taught.game)
    for section, panels in zip(taught.sections, pictures(taught.game), strict=True):
        assert any(section.picture.condition(view) for view in views), section.title
        assert panels, section.title


def test_topics_that_a_lesson_names_exist(taught):
    named = set(taught.terms.values())
    named |= {topic for section in taught.sections for topic in section.topics}
    assert named <= explanations(taught.game).keys()


def test_rules_that_a_lesson_names_exist(taught):
    texts = [taught.lead, taught.end]
    texts += [section.text for section in taught.sections]
    for text in [*taught.decisions, *taught.reasons, *taught.notes]:
        texts += [text.first, text.again or "", text.later]
    named = set(RULE.findall(" ".join(texts)))
    assert named
    assert named <= {number for number, _, _ in numbered_rules(taught.game)}


def test_every_decision_and_kind_of_move_has_a_text_in_any_game(taught):
    position = Position.new(taught.game, players=3, seed=0)
    for number in range(MAX_MOVES):
        seat = position.to_move
        if seat is None:
            break
        legal = position.moves()
        for move in {each.partition(":")[0]: each for each in legal}.values():
            values = variables(position, seat, move)
            reason = first_fitting(taught.reasons, values)
            assert reason is not None, move
            assert all("{" not in reason.filled(times, values) for times in range(3))
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
    for note in taught.notes:
        assert any(note.condition(view) for view in views), note.first


def test_the_guide_says_the_same_whatever_is_hidden(taught):
    played = example_game(taught.game)
    decisions = [at for at, each in enumerate(played.positions) if each.to_move == LEARNER]
    for at in decisions[::12]:
        state = played.up_to(at)
        possible = state.position.determinize(LEARNER, 5)
        other = replace(state, id="other", positions=[*state.positions[:-1], possible])
        assert guidance(other) == guidance(state)


def test_the_guide_leads_through_its_game_to_the_end(taught):
    played = example_game(taught.game)
    assert played.is_over
    for at, position in enumerate(played.positions):
        if position.to_move == LEARNER:
            advice = guidance(played.up_to(at))
            assert advice is not None
            assert advice.move == played.moves[at]
            assert advice.title


@pytest.mark.parametrize("deviates", [0, 0.15])
def test_the_guide_pays_all_wages_or_says_why_not(deviates):
    """Also in a game in which the learner sometimes plays another move."""
    taught = lesson("shakespeare")
    assert taught is not None
    draw = random.Random(4)
    state = first_state(taught.plan, "paid" if deviates else "followed")
    reasons = []
    while not state.is_over:
        occupant = state.occupant_to_move
        assert occupant is not None
        agent = occupant.agent
        if agent is None:
            advice = guidance(state)
            assert advice is not None
            reasons.append(advice.reason)
            move = advice.move
            if draw.random() < deviates:
                move = draw.choice(state.position.moves())
        else:
            move = choose(make(agent, state.position.game), state.position, 0, len(state.moves))
        state = state.pushed(move)
    unpaid = state.position.to_dict()["seats"][LEARNER]["unpaid"]
    assert unpaid == 0 or any("cannot pay" in reason for reason in reasons[-12:])


def test_a_deviation_is_judged_by_what_it_costs():
    """The same moves the other way round give the opposite difference."""
    position = example_game("figaro").positions[20]
    analyst = Analyst(position.game, "greedy")
    one, other = position.moves()[0], position.moves()[-1]
    found = judge_deviation(position, one, other, analyst)
    turned = judge_deviation(position, other, one, analyst)
    assert turned.gain.amount == -found.gain.amount != 0
    assert turned.gain.margin == found.gain.margin
    assert not judge_deviation(position, one, one, analyst).gain.is_clear


def test_a_deviation_goes_on_from_what_is_known_in_the_currency_of_hints():
    position = example_game("figaro").positions[20]
    analyst = Analyst(position.game, "greedy")
    hint = advise(position, analyst, playouts=300)
    best, other = hint.evaluation.moves[:2]
    found = judge_deviation(position, best.move, other.move, analyst, stored=hint.stored)
    assert found == judge_deviation(position, best.move, other.move, analyst, stored=found.stored)
    assert found.gain.in_points == other.loss.in_points
    assert len(found.stored) >= len(hint.stored)


@pytest.mark.parametrize(
    ("gain", "said", "words"),
    [
        (
            Difference(3.04, 1.0, in_points=True),
            ("{seat 0} {pay} all",),
            "About 3 points worse than the suggestion. With the suggestion: You pay all.",
        ),
        (
            Difference(0.044, 0.02, in_points=False),
            (),
            "About 4.4 % less chance to win than with the suggestion.",
        ),
        (
            Difference(1.0, 1.2, in_points=True),
            ("{seat 0} {pay} all",),
            "That makes no clear difference.",
        ),
        (
            Difference(-1.0, 0.5, in_points=True),
            ("{seat 0} {pay} all",),
            "About 1 point better than the suggestion: your move is the better one.",
        ),
    ],
)
def test_a_deviation_is_put_in_words(gain, said, words):
    findings = tuple(Finding("wages", sentence) for sentence in said)
    deviation = Deviation(gain, Reasons((), findings))
    assert deviation_in_words("shakespeare", deviation, [YOU, "Ann"]) == words


def test_an_empty_lobby_is_one_click_from_learning(client):
    page = client.get("/")
    for game in ("shakespeare", "figaro"):
        assert f'action="/learn/{game}/first-game"' in page.text
        assert f'class="button" href="/learn/{game}"' in page.text


def suggestion(page):
    """Return the move that the guide suggests."""
    return unescape(re.findall(r'data-move="([^"]+)"', page.text)[0])


def is_over(page):
    return "/review/table/" in page.text


def test_the_guide_goes_on_after_another_move_and_leads_to_the_end(client):
    address = client.post("/learn/figaro/first-game").url.path
    page = wait_for_page(client, address, moves)
    assert "Welcome!" in page.text
    has_deviated = False
    while not is_over(page):
        move = suggestion(page)
        assert move in moves(page)
        others = [each for each in moves(page) if each != move]
        deviates = bool(others) and not has_deviated
        play(client, address, page, others[0] if deviates else move)
        page = wait_for_page(client, address, lambda page: moves(page) or is_over(page))
        if deviates:
            number = re.findall(r'/deviation\?number=(\d+)"', page.text)[0]
            verdict = client.get(f"{address}/deviation", params={"number": number})
            assert re.search(VERDICT, verdict.text), verdict.text
            assert client.get(f"{address}/deviation", params={"number": "0"}).status_code == 409
            has_deviated = True
    assert has_deviated
    assert "The game is over" in page.text
    assert "How each score came about" in page.text
