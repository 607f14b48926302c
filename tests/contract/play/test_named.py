"""Texts about seats are filled with the reader's names, and verbs agree with them."""

import re

import pytest

from shakespeare_env.core import registry, seat_names
from shakespeare_env.core.seat_names import YOU, seat_placeholder, with_names
from shakespeare_env.play.history import GameLog, MoveRecord
from shakespeare_env.play.named import distinct_names, gerund, named_move
from tests.contract.each_table import all_tables
from tests.contract.random_games import move_by_rule, play_by_rule

NAMES = ("Ann", "Bob", "Cleo", "Dirk", "Eve", "Finn")
VERB = re.compile(r"\{([a-z]+)\}")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("{seat 2} {win}", "Cleo wins"),
        ("{seat 1} {win}", "you win"),
        ("{seats 0, 2} {win}", "Ann, Cleo win"),
        ("{Seat 0}: a card, by {seat 1}", "Ann: a card, by you"),
        ("{carry} it to {seat 0}, and {pass}", "carries it to Ann, and passes"),
        ("{have} a card", "has a card"),
    ],
)
def test_names_replace_seats_and_verbs_agree_with_them(text, named):
    assert with_names(text, ["Ann", YOU, "Cleo"], mover="Dirk") == named


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("{seat 2} {win}", "seat 2 wins"),
        ("{Seat 2}: {seats 0, 1}", "Seat 2: seats 0, 1"),
        ("{take} a card", "take a card"),
    ],
)
def test_without_names_seats_stay_numbers_and_verbs_stay_imperatives(text, plain):
    assert with_names(text) == plain


def test_a_placeholder_stands_for_one_seat_or_several():
    assert with_names(seat_placeholder(1), NAMES) == "Bob"
    assert with_names(seat_placeholder(2, 0), NAMES) == "Cleo, Ann"


def test_the_examples_of_the_docstring_hold():
    shown = re.findall(r">>> (.+)\n'(.+)'", seat_names.__doc__ or "")
    assert len(shown) == 4
    for call, result in shown:
        assert eval(call, {"with_names": with_names}) == result


def test_players_of_one_name_are_numbered():
    assert distinct_names(["Ann", "Bob", "Ann"]) == ["Ann 1", "Bob", "Ann 2"]


@pytest.mark.parametrize(
    ("phrase", "noun"),
    [
        ("play a card", "playing a card"),
        ("take no more elements", "taking no more elements"),
        ("pass", "passing"),
        ("bet", "betting"),
        ("agree", "agreeing"),
    ],
)
def test_a_kind_of_move_can_be_named_as_a_noun(phrase, noun):
    assert gerund(phrase) == noun


@pytest.mark.parametrize("name", registry.names())
def test_descriptions_of_moves_read_as_sentences_about_the_mover_or_to_it(name):
    game = registry.game(name)
    players = game.max_seats
    for seat in range(players):
        names = list(NAMES[:players])
        to_mover = [*names[:seat], YOU, *names[seat + 1 :]]
        for action in range(game.actions.size):
            template = game.actions.description(action, seat, players)
            record = MoveRecord(seat, template, "move", ())
            order = with_names(template, names)
            assert order == VERB.sub(r"\1", order)
            assert "seat {" not in order
            assert named_move(record, to_mover).mover == "You"
            assert named_move(record, to_mover).text == with_names(template, to_mover)
            told = named_move(record, names)
            verbs = VERB.findall(template)
            assert template.startswith(f"{{{verbs[0]}}}")
            # The sentence and the order differ in nothing but the endings of their verbs.
            as_order = told.text
            for verb in verbs:
                as_order = re.sub(rf"\b{verb}e?s\b", verb, as_order, count=1)
            assert as_order == order
            assert told.text.split()[0] in (f"{verbs[0]}s", f"{verbs[0]}es")


@all_tables
def test_no_placeholder_is_left_in_what_is_shown(table):
    position = table.position(1)
    names = NAMES[: table.players]
    presentation = position.game.presentation
    for step, _ in enumerate(play_by_rule(position, salt=1)):
        if position.to_move is None or step % 5:
            continue
        move = move_by_rule(position, step, 1)
        after = position.copy()
        after.push(move)
        told = GameLog().told(position, move, after)
        named = named_move(GameLog().record(position, move, after), names)
        text = position.to_dict()
        shown = [told.text, *told.effects, named.text, *named.effects]
        for readers in ((), names):
            head = presentation.headline(text, readers)
            shown += [head.phase, head.sentence, head.aside, position.describe_move(move, readers)]
            shown += [topic.named(readers) for topic in presentation.topics(text).values()]
            for panel in presentation.board(text, readers):
                shown.append(panel.title)
                shown += [piece.title for piece in panel.pieces]
        assert not [text for text in shown if "{" in text]
        head = presentation.headline(text, names)
        assert not re.search(r"\bseats? \d", " ".join((head.phase, head.sentence, *named.effects)))
