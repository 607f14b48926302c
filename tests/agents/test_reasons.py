"""Sentences about what follows a move are said only where playouts support them."""

from dataclasses import replace

import numpy as np
import pytest

from shakespeare_env import Position
from shakespeare_env.core import registry
from shakespeare_table.analysis.analyst import Analyst
from shakespeare_table.analysis.playouts import PositionPlayouts
from shakespeare_table.analysis.reasons import Continuations, findings
from tests.agents.sessions import played_session
from tests.contract.continuations import continuation
from tests.figaro import positions as p

GAMES = 16
ROLLOUTS = "search,rollouts=heuristic,simulations=8"


def games_after(d, *lines, scores=None):
    """Return games that follow a decision, each line as often as every other."""
    games = [continuation(d, *line) for line in lines] * (GAMES // len(lines))
    return Continuations(games, np.zeros(len(games)) if scores is None else np.array(scores))


def test_a_cause_without_a_clear_effect_explains_nothing():
    d = p.position(front={1: "jester-1", 2: "red-3 red-2"}, hands={0: "red-1 blue-1 ..."})
    better = games_after(d, ["play:red-1>2"])  # seat 2 has to take all cards
    worse = games_after(d, ["play:blue-1>1"])
    assert findings(Position.from_dict(d), better, worse, 0.0) == ()


@pytest.fixture
def taking():
    """A position, and the games after a move by which seat 0 takes no cards, and four cards."""
    hands = {0: "red-1 blue-1 ...", 1: "green-1 ...", 2: "orange-1 ...", 3: "green-2 ..."}
    d = p.position(front={0: "red-3 red-2", 1: "jester-1"}, hands=hands)
    others = ["play:green-1>2", "play:orange-1>3", "play:green-2>2"]
    none = games_after(d, ["play:blue-1>1", *others, "take"])
    four = games_after(d, ["play:red-1>0", "play:blue-1>1"])
    return Position.from_dict(d), none, four


def test_an_effect_with_the_numbers_of_its_cause_is_not_said(taking):
    """Seat 0 takes four cards by its own card, and thus four by its next turn."""
    position, none, four = taking
    (finding,) = findings(position, none, four, 4.0)
    assert "{take} no cards by bringing" in finding.sentence
    assert "instead of 4" in finding.sentence  # not an average, since it is always so


def test_what_speaks_for_the_worse_move_or_does_not_differ_is_not_said(taking):
    position, none, four = taking
    assert findings(position, four, none, 0.0) == ()
    assert findings(position, none, none, 0.0) == ()


def test_a_difference_in_few_games_is_not_said():
    """Cards of the round are 9 or 13 in seat 3's games, whichever move it plays."""
    low = p.ending([3, 4, 5, 9])
    high = p.ending([3, 4, 5, 13])
    position = Position.from_dict(low)

    def mixed(lows):
        games = [continuation(low, p.last_card(0))] * lows
        games += [continuation(high, p.last_card(0))] * (GAMES - lows)
        scores = [-9.0] * lows + [-13.0] * (GAMES - lows)
        return Continuations(games, np.array(scores))

    def said(ours, theirs):
        total = float((ours.scores - theirs.scores).mean())
        found = findings(position, ours, theirs, total)
        return any("cards at the end" in each.sentence for each in found)

    turned = mixed(GAMES // 2)
    turned = replace_games(turned, np.roll(np.arange(GAMES), GAMES // 2))
    assert said(mixed(GAMES), mixed(0))
    assert not said(mixed(GAMES // 2), turned)


def replace_games(found, order):
    return Continuations([found.games[at] for at in order], found.scores[order])


def test_a_game_without_consequences_has_no_sentences(taking):
    position, none, four = taking
    presentation = replace(position.game.presentation, consequences=())
    position.game = replace(position.game, presentation=presentation)
    assert findings(position, none, four, 4.0) == ()


@pytest.mark.parametrize("name", registry.names())
def test_sentences_depend_only_on_what_the_seat_may_know(name):
    """They may be shown while the game goes on."""
    session = played_session(name, seed=6)
    analyst = Analyst(session.position.game, ROLLOUTS)
    is_said = False
    decisions = [before for before in session.positions[6:-1] if len(before.moves()) > 4]
    for position in decisions[:6]:
        others = [position.determinize(position.to_move, seed) for seed in (1, 2)]
        assert any(other != position for other in others)
        found = []
        for possible in (position, *others):
            known = PositionPlayouts(analyst, possible)
            *_, evaluation = known.refine(200)
            found.append(known.reasons(evaluation.moves[0].move, evaluation.moves[-1].move))
        assert found[0] == found[1] == found[2]
        is_said |= bool(found[0].findings)
    assert is_said
