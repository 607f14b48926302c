"""Games that say only their rules: the rest is derived, and every tool takes them.

Leduc hold'em and Kuhn poker, in docs/games/, are small enough to know the truth.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

from shakespeare_arena import evaluate
from shakespeare_env import (
    Batch,
    Check,
    GameRecord,
    GameRules,
    Position,
    PositionError,
    StateField,
    below,
    cli,
    define,
    rule,
    rulebook,
)
from shakespeare_env.core import registry
from shakespeare_env.core.registry import box_mismatch
from shakespeare_env.derived.notation import OwnNotation
from shakespeare_env.errors import BoxError
from shakespeare_env.own_files import load_file
from tests.contract.games import small_games
from tests.contract.processes import run_script
from tests.registered_games import registering

GAMES = Path(__file__).parents[3] / "docs" / "games"
BEST_AT_LEDUC = 2.373611
"""The mean score of the best response to random moves (tests/arena/test_best_response.py)."""
NAMES = ("leduc", "kuhn")
names = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module", autouse=True)
def games():
    """Both, until the end of the module."""
    with registering(*(load_file(GAMES / f"{name}.py").GAME for name in NAMES)):
        yield


def positions(name, count=20):
    """Every position of some games of random moves."""
    for seed in range(count):
        position = Position.new(name, players=registry.seats(name)[0], seed=seed)
        rng = np.random.default_rng(seed)
        while position.to_move is not None:
            yield position
            position.push(str(rng.choice(position.moves())))
        yield position


@names
def test_text_holds_the_whole_position(name):
    for position in positions(name):
        assert Position.from_dict(json.loads(json.dumps(position.to_dict()))) == position
        assert all(len(line) <= 80 for line in str(position).splitlines())


@names
def test_what_a_seat_does_not_see_has_no_influence_on_what_it_is_given(name):
    """Two positions that look the same to a seat give the same view, text, masks and draws."""
    for position in positions(name):
        for seat in range(position.players):
            twin = position.determinize(seat, seed=5)
            assert (twin.observation(seat) == position.observation(seat)).all()
            assert twin.seen_by(seat) == position.seen_by(seat)
            assert twin.determinize(seat, seed=6) == position.determinize(seat, seed=6)


def test_hidden_cards_are_drawn_as_often_as_they_are_left():
    start = Position.new("leduc", players=2, seed=0).to_dict()
    position = Position.from_dict({**start, "card": ["Q", "J"], "deck": [0, 1, 2, 2]})
    found = Counter(position.determinize(0, seed).to_dict()["card"][1] for seed in range(2000))
    for card, share in {"J": 0.4, "Q": 0.2, "K": 0.4}.items():
        assert found[card] / 2000 == pytest.approx(share, abs=4 * 0.011)


def test_a_search_finds_most_of_what_there_is_to_take_and_no_more():
    """A search knows how the others play, but its playouts go on at random for itself, too."""
    entrants = ["search,rollouts=random", "random"]
    found = evaluate(entrants, "leduc", games=3000, seed=1).agents[0]
    assert found.score_low is not None
    assert found.score_low <= BEST_AT_LEDUC
    assert found.mean_score > 0.75 * BEST_AT_LEDUC


@names
def test_it_is_shown_and_explained_and_has_no_box(name):
    position = next(positions(name))
    assert position.svg().startswith("<svg")
    assert position.game.presentation.board(position.to_dict(), ())[0].seat is None
    assert "card" in rulebook.rules_text(name)
    assert f"`{position.moves()[0]}`" in rulebook.notation_text(name)
    with pytest.raises(BoxError):
        registry.game(name, "box.toml")
    assert "another version" in str(box_mismatch(name, "0" * 64))


NONE = -1


@rule
def _set_up(game, players, options):
    """A card each of 0 to 5; the others stay in the deck."""
    game["players"] = players
    game["to_move"] = 0
    game["winners"][:] = 0
    game["hand"][:] = NONE
    for card in range(6):
        game["deck"][card] = card
    for seat in range(players):
        place = below(game, 6)
        while game["deck"][place] == NONE:
            place = below(game, 6)
        game["hand"][seat] = game["deck"][place]
        game["deck"][place] = NONE


@rule
def _legal(game, mask):
    """Allow to go to those who hold more than 1; the others must pass."""
    mask[0] = True
    mask[1] = game["hand"][game["to_move"]] > 1
    return 1 + int(mask[1])


@rule
def _play(game, action):
    game["to_move"] += 1
    if game["to_move"] == game["players"]:
        game["to_move"] = -1
        game["winners"][0] = 1


@rule
def _scores(game, out):
    out[:] = 0


CARDS = ("-", *"abcdef")
HAND = StateField("hand", NONE, 5, 4, by_seat=True, words=CARDS, visible="owner", pool="deck")
DECK = StateField("deck", NONE, 5, 6, words=CARDS, visible="nobody", pool="deck")
RULES = GameRules(
    actions={"pass": "pass", "go": "go"}, set_up=_set_up, legal=_legal, play=_play, scores=_scores
)
SMALL: dict[str, Any] = {
    "name": "small",
    "seats": range(2, 5),
    "rules": RULES,
    "record": GameRecord(fields=[HAND, DECK]),
}

OWN_NOTATION = OwnNotation(
    to_dict=lambda record: {},
    from_dict=lambda position, record: None,
    phase=lambda record: "turn",
    seen_by=lambda position, seat: {},
)


def changed_rules(**rules):
    """The small game with other rules."""
    return SMALL | {"rules": replace(RULES, **rules)}


def changed_record(*fields, **record):
    """The small game with other fields, where some are given, and another record."""
    return SMALL | {"record": GameRecord(fields=fields or [HAND, DECK], **record)}


@pytest.fixture
def small():
    return registry.register(define(**SMALL)).name


def test_a_seat_that_is_asked_has_a_choice_in_every_possible_position(small):
    """Forced moves are played automatically, so everybody knows it."""
    text = {"game": small, "players": 2, "to_move": 0, "winners": None}
    position = Position.from_dict({**text, "hand": ["f", "e"], "deck": [*"abcd", "-", "-"]})
    hands = [position.determinize(1, seed).to_dict()["hand"] for seed in range(300)]
    assert {tuple(hand) for hand in hands} == {(card, "e") for card in "cdf"}


def test_a_deal_without_a_decision_is_dealt_anew(small):
    batch = Batch(small, n=512, players=2, seed=0)
    for _ in range(20):
        assert (batch.to_move >= 0).all()
        assert (batch.mask.sum(axis=1) == 2).all()
        batch.step(batch.random_actions())


def test_rows_of_absent_seats_hold_no_card(small):
    position = Position.new(small, players=2, seed=3)
    read = Position.from_dict(position.to_dict())
    assert read == position
    for way in (position, read):
        hands = [way.determinize(0, seed).to_dict()["hand"] for seed in range(20)]
        assert {hand[0] for hand in hands} == {position.to_dict()["hand"][0]}
        assert len(Counter(hand[1] for hand in hands)) > 2
        assert "-" not in {hand[1] for hand in hands}


@pytest.mark.parametrize(
    ("definition", "named"),
    [
        (SMALL | {"name": "Two Words"}, "Two Words"),
        (changed_record(HAND, HAND), "hand"),
        (changed_record(StateField("held", 0, 2, 3, by_seat=True)), "held"),
        (changed_record(StateField("held", 0, 2, visible="owner")), "held"),
        (changed_record(StateField("held", 0, 2, 4, words=("no", "yes"))), "held"),
        (changed_rules(observe=_scores), "layout"),
        (
            changed_record(replace(HAND, shape=(4, 2), form="counts", places=("a", "b"))),
            "hand: form='counts' counts cards, but the fields of a pool hold card numbers",
        ),
        (changed_rules(scores=lambda game, out: None), "scores is not a rule; put @rule before it"),
        (
            changed_record(checks=[Check("hand", "", lambda game: False)]),
            "the check of 'hand' is not a rule",
        ),
        (changed_record(replace(HAND, visible=lambda *a: True)), "hand: visible is not a rule"),
        (changed_record(fault=_legal), "faults"),
        (changed_record(notation=OWN_NOTATION), "chapter, draw, .* is_secret"),
    ],
)
def test_a_definition_that_does_not_hold_together_is_refused(definition, named):
    with pytest.raises(ValueError, match=named):
        define(**definition)


@pytest.mark.parametrize(
    ("given", "more", "named"),
    [
        ((0, 2, 4, 13), {}, r"held: kind=13 .*shape=\(4, 13\)"),
        ((0, 2, 4, float), {}, "held: kind="),
        ((0, 2, 3.0), {}, r"held: shape=3\.0"),
        ((0, 2, (4, -1)), {}, r"held: shape=\(4, -1\)"),
        ((3, 0), {}, "held: 3 to 0"),
        ((0, 300), {}, "held: 0 to 300 .*of int8"),
        ((0, 2), {"visible": "owners"}, "visible='owners' .did you mean 'owner'"),
        ((0, 2, 3), {"form": "count"}, "form='count' .did you mean 'counts'"),
        ((0, 2, (4, 3)), {"form": "list", "places": ("a",)}, "held: 1 places"),
    ],
)
def test_a_field_that_no_record_can_hold_is_refused(given, more, named):
    with pytest.raises((TypeError, ValueError), match=named):
        StateField("held", *given, **more)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"card": ["Q"]}, "card"),
        ({"card": ["Q", "?"]}, r"card\[1\]"),
        ({"paid": [1, 99]}, r"paid\[1\]"),
        ({"to_move": None}, "winners"),
        ({"winners": [0]}, "winners"),
        ({"more": 1}, "more"),
        ({"deck": [0, 1, -1, -1]}, "deck.*four cards"),
    ],
)
def test_text_that_does_not_fit_the_fields_is_refused(change, named):
    text = Position.new("leduc", players=2, seed=0).to_dict()
    with pytest.raises(PositionError, match=named):
        Position.from_dict({**text, **change})


def test_every_command_takes_a_game_by_its_file():
    commands: Any = typer.main.get_command(cli.app)
    for name in cli.COMMANDS:
        command = commands.get_command(typer.Context(commands), name)
        (option,) = [param for param in command.params if "--game" in param.opts]
        assert ".py:GAME" in f"{option.metavar} {option.help}", name


_COMMANDS = """
import re, shlex, sys
from typer.testing import CliRunner
from shakespeare_env.cli import app
for line in sys.stdin:
    done = CliRunner().invoke(app, shlex.split(line), env={"COLUMNS": None, "LINES": None})
    words = re.sub("[│╭╮╰╯─]", " ", done.stdout + done.stderr).split()
    print(f"{done.exit_code}|{' '.join(words)}")
"""


def test_a_game_in_a_file_is_played_recorded_and_read_again(tmp_path):
    """Workers play it, too; an unknown game's files say which option names it."""
    (tmp_path / "my.py").write_bytes((GAMES / "leduc.py").read_bytes())
    agents = 'agents = ["random", "search,rollouts=random,simulations=2"]'
    (tmp_path / "arena.toml").write_text(f'game = "my.py:GAME"\ngames = 2\n{agents}\n')
    own = "--game my.py:GAME"
    first = [
        "watch random --game nowhere.py:GAME",
        "watch random --game my.py:FIELDS",
        "arena arena.toml",
        f"play random {own} --seed 1 --save game.jsonl",
        f"dataset random {own} --out games --games 2 --workers 2",
        "arena arena.toml --trust",
        "check my.py:GAME",
        "check my.py:FIELDS",
    ]
    then = [
        "replay game.jsonl --list",
        "arena --report --results arena",
        f"replay game.jsonl --list {own}",
        f"replay games --list {own}",
        f"arena --report --results arena {own}",
        f"arena --report --results arena {own.replace('my', 'kuhn')}",
    ]
    (tmp_path / "kuhn.py").write_bytes((GAMES / "kuhn.py").read_bytes())
    said = [
        run_script(
            _COMMANDS,
            folder=tmp_path,
            given="\n".join(lines),
            SHAKESPEARE_GAMES="",
            NUMBA_DISABLE_JIT="1",
            PYTHONWARNINGS="ignore",
        ).splitlines()
        for lines in (first, then)
    ]
    assert [line[0] for line in said[0]] == list("22100002")
    for line, words in zip(
        said[0],
        (
            "there is no file 'nowhere.py'",
            "'FIELDS' is no game of my.py; name one of its games: GAME",
            "arena.toml runs 'my.py:GAME'; add --trust",
            f"--game {tmp_path}/my.py:GAME --players 2",
            "games: 2 games",
            f"--results arena --game {tmp_path}/my.py:GAME",
            "leduc: nothing is wrong",
            "Invalid value for FILE.py:GAME: 'FIELDS' is no game of my.py",
        ),
        strict=True,
    ):
        assert words in line
    assert [line[0] for line in said[1]] == list("110002")
    for line in said[1][:2]:
        assert "there is no game 'leduc'" in line
        assert "--game FILE.py:GAME" in line
    assert "arena is of leduc, not of kuhn" in said[1][-1]


def test_the_sum_of_a_hidden_hand_is_known_and_stays():
    with small_games.registered():
        position = Position.new("hands", players=3, seed=1)
        drawn = [position.determinize(0, seed).to_dict()["hand"] for seed in range(40)]
    assert {sum(hand.values()) for hands in drawn for hand in hands} == {small_games.CARDS}
    assert len({str(hands[1]) for hands in drawn}) > 5


UNSOUND = {
    "a choice of what is not held": (
        "BIDS",
        'card != NO_CARD and game["held"][seat, card] == 0',
        "False",
        "which no legal move leads to; give a `Check`",
    ),
    "a secret choice is told": (
        "BIDS",
        'action\n    game["to_move"]',
        'game["last"][game["to_move"]] = action\n    game["to_move"]',
        "which no legal move leads to",
    ),
    "a move that cannot be seen is told": (
        "FACE_DOWN",
        "checks=[",
        "is_secret=lambda position, move: False, checks=[",
        "and is told 'lay a ",
    ),
    "a history tells what is not seen": (
        "FACE_DOWN",
        "play=lay_face_down,",
        "play=lay_face_down, is_hidden=rule(lambda game, seat, action: False),",
        "its history tells them apart",
    ),
    "an earlier game shines through": (
        "FACE_DOWN",
        '    game["passed"][:] = 0\n',
        "",
        "set_up leaves some of passed as it was",
    ),
    "a number leaves its range": (
        "HANDS",
        'StateField("moved", 0, MOVES,',
        'StateField("moved", 0, MOVES - 1,',
        "moved[0]: 2 is out of place; write a whole number from 0 to 1",
    ),
    "scores give a hand away": (
        "HANDS",
        'out[seat] = game["winners"][seat]',
        'out[seat] = game["hand"][seat, 0]',
        "scores are [",
    ),
    "legal miscounts": (
        "HANDS",
        "    allowed = 1\n",
        "    allowed = 2\n",
        "legal returns 4 and allows 3",
    ),
    "text leaves out a number": (
        "BIDS",
        'game["held"][:] = 0',
        'game["held"][:] = 1',
        "[0, 0, 0]], but it is [[1, 1, 1], [1, 1, 1], [1, 1, 1]]; write 0 for absent seats",
    ),
}
"""What is wrong, with what is written in place of what, and what is said."""
_CHECKS = """
import json, sys
from pathlib import Path
from shakespeare_env import check_game
from shakespeare_env.own_files import load_file

found = {}
for named in sys.argv[1:]:
    file, _, game = named.rpartition(":")
    found[named] = check_game(getattr(load_file(Path(file)), game), games=1)
print(json.dumps(found))
"""


def test_a_game_that_is_not_sound_is_told_so_in_its_own_words(tmp_path):
    """Sound games are those of docs/games and one with forced moves after a secret one."""
    source = Path(small_games.__file__).read_text(encoding="utf-8")
    named = {"kuhn": f"{GAMES / 'kuhn.py'}:GAME", "leduc": f"{GAMES / 'leduc.py'}:GAME"}
    named["marks"] = f"{small_games.__file__}:MARKS"
    mine = 'StateField("mine", 0, 1, 20, visible="nobody", form="counts", places=PLACES)'
    with_mine = source.replace(
        '        StateField("prize"', f'        {mine},\n        StateField("prize"'
    )
    with_mine = with_mine.replace("MOVES = 2", "PLACES = tuple(map(str, range(20)))\nMOVES = 2")
    laid = '    game["mine"][:] = 0\n    game["mine"][0] = 1\n'
    with_mine = with_mine.replace('    game["last"][:] = 0\n', f'{laid}    game["last"][:] = 0\n')
    (tmp_path / "mine.py").write_text(with_mine, encoding="utf-8")
    named["mine"] = f"{tmp_path / 'mine.py'}:BIDS"
    for number, (what, (game, old, new, _)) in enumerate(UNSOUND.items()):
        assert old in source
        unsound = source.replace(old, new)
        # One process checks all games, so each needs a name of its own.
        unsound = unsound.replace(f'{game} = define(\n    "', f'{game} = define(\n    "x{number}')
        (tmp_path / f"{what}.py").write_text(unsound, encoding="utf-8")
        named[what] = f"{tmp_path / what}.py:{game}"
    found = json.loads(run_script(_CHECKS, *named.values(), NUMBA_DISABLE_JIT="1"))
    for what in named.keys() - UNSOUND:
        assert found[named[what]] == [], what
    for what, (_, _, _, says) in UNSOUND.items():
        faults = found[named[what]]
        assert any(says in fault and "(seed " in fault for fault in faults), (what, faults)
