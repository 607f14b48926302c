"""Lessons add up mistakes by what explains them, and say what to do in the game's own words."""

import re
from dataclasses import replace

import pytest

from shakespeare_env.core import registry
from shakespeare_env.film import Film
from shakespeare_table.analysis.evaluation import Difference
from shakespeare_table.analysis.lessons import cost_in_words, lessons, shown_numbers
from shakespeare_table.analysis.mistakes import JudgedDecision, lessons_list
from shakespeare_table.analysis.reasons import NO_REASONS, Finding, Reasons, RowGain
from tests.agents.sessions import played_session

SCALE = 10.0
ROWS = (RowGain("A", 2.0, 0.1),)


def mistake(number, topic, amount, *more, in_points=False, explained=1.0, advice="Do {}."):
    """Return a mistake of seat 0 that a finding explains, and perhaps more of them."""
    finding = Finding(topic, f"about {topic}", advice.format(topic), explained)
    loss = Difference(amount, amount / 4, in_points)
    return JudgedDecision(number, 0, "a", "b", loss, Reasons(ROWS, (finding, *more)))


def test_mistakes_are_added_up_by_topic_and_the_costliest_lesson_comes_first():
    found = lessons(
        [
            mistake(3, "pile", 0.04),
            mistake(9, "ring", 0.05),
            mistake(12, "pile", 0.08),
            mistake(20, "pile", 2.0, in_points=True),
        ],
        SCALE,
    )
    assert [lesson.topic for lesson in found] == ["pile", "ring"]
    pile, ring = found
    assert pile.numbers == (12, 3, 20)  # 2 points in 10 count as 4 % of the victory
    assert pile.chance == pytest.approx(12)
    assert pile.points == pytest.approx(2.0)
    assert pile.advice == "Do pile."
    assert cost_in_words(pile, "you") == "cost you 12.0 % chance to win and 2.0 points"
    assert cost_in_words(ring, "Ann") == "cost Ann 5.0 % chance to win"


def test_there_are_at_most_three_lessons_and_each_shows_the_worst_moves():
    mistakes = [mistake(number, "pile", number / 100) for number in range(1, 9)]
    mistakes += [mistake(10 + number, str(number), 0.01) for number in range(4)]
    found = lessons(mistakes, SCALE)
    assert [bool(lesson.advice) for lesson in found] == [True, True, True, False]
    assert len(found[3].numbers) == 2
    assert found[3].chance == pytest.approx(2)
    assert shown_numbers(found[0]) == [3, 4, 5, 6, 7, 8]
    assert found[0].numbers == (8, 7, 6, 5, 4, 3, 2, 1)


def test_a_mistake_teaches_only_what_explains_it():
    """An advice needs a clear effect that is a good part of the cost."""
    effect = Finding("cards", "about cards", "Do cards.", 1.5)
    unexplained = mistake(1, "jesters", 0.3, explained=0.0)
    too_little = mistake(2, "colour", 0.3, effect, explained=0.1)
    silent = mistake(3, "place", 0.3, effect, advice="")
    found = lessons([unexplained, too_little, silent], SCALE)
    by_topic = [(lesson.topic, set(lesson.numbers)) for lesson in found]
    assert by_topic == [("cards", {2, 3}), ("", {1})]
    assert lessons([], SCALE) == []


def test_an_effect_counts_by_half_and_no_mistake_twice():
    """Two causes cost 10 and 6 %. The effect that they share costs 16 %, of which half counts."""
    effect = Finding("cards", "about cards", "Do cards.", 1.0)
    mistakes = [mistake(1, "ring", 0.1, effect), mistake(2, "pile", 0.06, effect)]
    found = lessons(mistakes, SCALE)
    assert [(lesson.topic, lesson.numbers) for lesson in found] == [("ring", (1,)), ("pile", (2,))]
    # With a third cause, half of the effect's cost is most of all.
    found = lessons([*mistakes, mistake(3, "jester", 0.06, effect)], SCALE)
    assert [(lesson.topic, lesson.numbers) for lesson in found] == [("cards", (1, 2, 3))]


def test_lessons_are_a_list_of_the_seats_own_mistakes_with_links():
    film = Film(played_session("figaro", most=16).history)
    movers = [position.to_move or 0 for position in film.positions]
    seat = movers[2]
    finding = Finding("pile", "", "Keep the pile low.", 1.0)
    loss = Difference(0.125, 0.03, in_points=False)
    reasons = Reasons(ROWS, (finding,))
    judged = [
        JudgedDecision(number, movers[number - 1], "a", "b", loss, reasons)
        for number in range(1, 9)
    ]
    uncertain = JudgedDecision(3, seat, "a", "b", Difference(0.2, 0.3, False), reasons)
    own = [each.number for each in judged if each.seat == seat]
    listed = lessons_list(film, [*judged, uncertain], seat, "/review/")
    assert "Keep the pile low." in listed
    linked = re.findall(r'href="/review/(\d+)" data-ply="\1"', listed)
    assert sorted(map(int, linked)) == own[:6]
    assert lessons_list(film, [uncertain], seat).strip() == ""
    unexplained = [replace(each, reasons=NO_REASONS) for each in judged[:1]]
    only = lessons_list(film, unexplained, movers[0], "/review/")
    assert "The mistake, at move <a" in only
    assert "<ol>" not in only


@pytest.mark.parametrize("name", registry.names())
def test_every_topic_has_one_short_advice_and_every_effect_is_a_topic(name):
    consequences = registry.game(name).presentation.consequences
    advice = {consequence.topic: consequence.advice for consequence in consequences}
    effects = {each.topic for each in consequences if not each.effects}
    for consequence in consequences:
        assert advice[consequence.topic] == consequence.advice
        assert set(consequence.effects) <= effects
    assert len(set(advice.values())) == len(advice)
    for text in advice.values():
        assert 15 <= len(text.split()) <= 30, text
        assert re.fullmatch(r"[A-Z][^.!?]*\.", text), text
        assert "{" not in text
