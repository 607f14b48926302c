"""An analyst's evaluations and verdicts use only what a seat may know, and improve with time."""

import functools
import io
import itertools
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from shakespeare_agents.networks.inference import NetworkAgent
from shakespeare_agents.search.halving import Playouts
from shakespeare_agents.search.playouts import TO_THE_END, KeptMoves
from shakespeare_env.core import registry
from shakespeare_env.play.information_sets import InformationSets
from shakespeare_research.counterfactual import batch_of, counterfactual
from shakespeare_table.analysis.analyst import Analyst
from shakespeare_table.analysis.evaluation import SMALLEST_LOSS, Difference, MoveWorth
from shakespeare_table.analysis.judging import (
    as_seats_see_themselves,
    best_line,
    forecasts_of,
    judge_decision,
)
from shakespeare_table.analysis.mistakes import MISTAKE_KINDS, mistake_kind
from shakespeare_table.analysis.playouts import PositionPlayouts, advise, think
from tests.agents import sessions
from tests.agents.networks import random_network
from tests.generators import Witness, generators, history_of_moves

ROLLOUTS = "search,rollouts=heuristic,simulations=8"
NO_LOSS = Difference(0.0, 0.0, in_points=False)
played = functools.partial(sessions.played_session, seed=6)


@pytest.fixture(scope="module", params=registry.names())
def session(request):
    return played(request.param)


@pytest.fixture(params=["network", "rollouts"])
def analyst(request, session):
    game = session.position.game
    if request.param == "rollouts":
        return Analyst(game, ROLLOUTS)
    return Analyst(game, NetworkAgent(random_network(game, 4)))


def test_an_evaluation_improves_round_by_round(session, analyst):
    position = session.positions[10]
    rounds = [found.evaluation for found in think(position, analyst, playouts=100)]
    counts = [evaluation.playouts for evaluation in rounds]
    assert counts == sorted(set(counts))
    last = rounds[-1]
    assert {worth.move for worth in last.moves} <= set(position.moves())
    assert sum(worth.playouts for worth in last.moves) == last.playouts
    assert sum(last.chances) == pytest.approx(1.0, abs=1e-3)
    assert last.chances[position.to_move] == pytest.approx(last.best.chance)


def test_a_position_has_one_evaluation_whoever_asks(session, analyst):
    """Hint, thoughts, best line and review tell the same numbers of the same playouts."""
    position = session.positions[10]
    move = session.moves[10]
    *_, thought = think(position, analyst, playouts=100)
    hint = advise(position, analyst, playouts=100)
    assert hint.evaluation == thought.evaluation
    verdict = judge_decision(position, move, 10, analyst, stored=hint.stored, playouts=100)
    assert verdict.best == hint.evaluation.best.move
    assert verdict.evaluation.equals == hint.evaluation.equals
    others = [worth for worth in verdict.evaluation.moves if worth.move != move]
    assert set(others) <= set(hint.evaluation.moves)
    # A comparison plays some moves more often, which does not change the evaluation.
    again = advise(position, analyst, stored=verdict.stored, playouts=100)
    assert again.evaluation == hint.evaluation
    line, _ = best_line(position, analyst, stored=verdict.stored, playouts=100)
    assert line.moves[0] == again.evaluation.best.move
    movers = [each.to_move for each in line.positions]
    turns = [mover for mover, _ in itertools.groupby(movers)]
    assert turns.count(position.to_move) == 4
    assert movers[-1] != position.to_move == movers[-2]
    # More playouts continue the same ones.
    *_, longer = think(position, analyst, stored=hint.stored, playouts=400)
    *_, at_once = think(position, analyst, playouts=400)
    assert longer.evaluation == at_once.evaluation
    shorter = advise(position, analyst, stored=longer.stored, playouts=100)
    assert shorter.evaluation == longer.evaluation


def test_no_move_shown_is_worth_more_than_the_recommended_one(session, analyst):
    for number in range(8, 40, 8):
        position = session.positions[number]
        verdict = judge_decision(position, session.moves[number], number, analyst, playouts=60)
        best = verdict.evaluation.best
        for worth in verdict.evaluation.moves:
            assert worth.loss.amount >= 0
            if not worth.loss.in_points:
                assert worth.chance <= best.chance
        equals = verdict.evaluation.equals
        assert equals[0] == best
        assert verdict.evaluation.is_clear == (len(equals) == 1)
        for worth in equals[1:]:  # nobody is told that a move is as good and then a mistake
            assert not worth.loss.is_clear
            assert worth.playouts == best.playouts
        assert verdict.loss.amount >= 0


def test_the_rows_of_a_reason_add_up_to_the_difference(session, analyst):
    for number in (10, 30):
        position = session.positions[number]
        known = PositionPlayouts(analyst, position)
        *_, evaluation = known.refine(200)
        best, other = evaluation.moves[:2]
        rows = known.reasons(best.move, other.move, pairs=8).rows
        gains = [abs(row.gain) for row in rows]
        assert gains == sorted(gains, reverse=True)
        points = sum(row.gain for row in rows)
        if other.loss.in_points:
            assert points == pytest.approx(other.loss.amount)
        else:
            assert points == pytest.approx(best.score - other.score, abs=1e-4)


def test_a_network_ends_the_playouts_of_a_game_with_a_forecast_horizon():
    """It values games where the last round begins, and the last round is played to its end."""
    session = played("figaro", 4)
    analyst = Analyst(registry.game("figaro"))
    assert analyst.runner.may_forecast
    last_round = 2
    assert analyst.runner.valued_chapter == last_round
    numbers = [int(position.record()["round"]) for position in session.positions[:-1]]
    for number in (numbers.index(0), numbers.index(1), numbers.index(2)):
        position = session.positions[number]
        move = position.moves()[0]
        deviations = []
        for valued_chapter in (last_round, TO_THE_END):
            analyst.runner.valued_chapter = valued_chapter
            known = PositionPlayouts(analyst, position)
            shares, _ = known.outcomes(move, 64)
            deviations.append(shares[:, known.seat].std())
            *_, evaluation = known.refine(1)
            assert all(1 <= worth.place <= 4 for worth in evaluation.moves)
        if position.record()["round"] < last_round:
            assert deviations[0] < 0.5 * deviations[1]
        else:
            assert deviations[0] == deviations[1]
    assert not Analyst(registry.game("shakespeare")).runner.may_forecast


def test_what_is_told_of_a_best_move_rests_on_many_playouts(session, analyst):
    for number in (4, 12, 20):
        *_, found = think(session.positions[number], analyst, playouts=200)
        assert all(worth.playouts >= 128 for worth in found.evaluation.equals)


def test_more_playouts_decide_whether_a_move_is_a_mistake():
    session = played("figaro", 3)
    analyst = Analyst(registry.game("figaro"))
    scale = float(analyst.game.score_scale)
    found = []
    for number in (92, 110, 115):
        known = PositionPlayouts(analyst, session.positions[number])
        *_, before = known.refine(60)
        worths = [
            known.judged(session.moves[number], playouts=playouts).worth(session.moves[number])
            for playouts in (64, 512)
        ]
        found.append([(worth.playouts, worth.loss.is_mistake(scale)) for worth in worths if worth])
        assert all(worth and before.best.move != worth.move for worth in worths)
    # One is certain at once, but first playouts overstate, so it is told after four times as many.
    # Others need still more.
    assert found[0] == [(64, True), (256, True)]
    assert found[1] == found[2] == [(64, False), (512, True)]


@pytest.mark.parametrize("loss", [0.0, 0.01, 0.04])
def test_a_margin_holds_however_often_more_playouts_follow(monkeypatch, loss):
    """The comparison goes on only while it is open, which alone must not make intervals fail."""
    position = played("figaro", 3).positions[10]
    analyst = Analyst(registry.game("figaro"))
    better, worse = position.moves()[:2]
    rng = np.random.default_rng(1)

    def play(known, action, first, end):
        chance = 0.4 if action == position.action_id(better) else 0.4 - loss
        wins = rng.random(end - first) < chance
        outcomes = np.zeros((2, end - first, position.players), np.float32)
        outcomes[0, :, known.seat] = wins
        return outcomes

    monkeypatch.setattr(PositionPlayouts, "_play", play)
    errors = []
    for _ in range(400):
        found = PositionPlayouts(analyst, position).compare(better, worse, 8192)
        errors.append(abs(found.amount - loss) > found.margin)
    assert np.mean(errors) < 0.05


def test_a_mistake_loses_for_certain_half_of_what_counts_as_one(session, analyst):
    scale = float(session.position.game.score_scale)
    judged = [
        judge_decision(
            session.positions[number], session.moves[number], number, analyst, playouts=100
        )
        for number in range(6, 40, 4)
    ]
    for verdict in judged:
        least = replace(verdict.loss, amount=verdict.loss.amount - verdict.loss.margin)
        is_certain = least.in_shares(scale) >= SMALLEST_LOSS / 2
        is_large = verdict.loss.in_shares(scale) >= SMALLEST_LOSS
        assert (mistake_kind(verdict, scale) is not None) == (is_certain and is_large)
        assert bool(verdict.reasons.rows) <= (is_certain and is_large)


def test_the_kept_moves_of_playouts_account_for_their_final_scores(session, analyst):
    position = session.positions[30]
    game = position.game
    seat = position.to_move
    root = np.zeros(4, np.int64)
    games = InformationSets(batch_of(game, [position.record()]), np.zeros(1, np.int64))
    records = games.records(root, generators(1, seed=1))
    actions = np.full(4, position.action_id(session.moves[30]))
    playouts = Playouts(root, np.arange(4), root, root, actions)
    kept = KeptMoves.of(game, 4, 300)
    analyst.runner.valued_chapter = TO_THE_END
    outcomes = analyst.runner.play(playouts, records, np.arange(4, dtype=np.uint64), kept)
    assert kept.is_turning.any()
    for number, count in enumerate(kept.counts):
        points = position.scores()[seat]
        turning = np.flatnonzero(kept.is_turning[number, :count])
        for record, action in zip(
            kept.records[number, turning], kept.actions[number, turning], strict=True
        ):
            events = game.presentation.events(record, int(action), record, None)
            points += sum(event.points for event in events if event.seat == seat)
        assert points == pytest.approx(outcomes.score[number, seat] * game.score_scale, abs=1e-3)
        # The searching seat's own decisions are kept too, from the first one on.
        assert kept.records[number, 0]["to_move"] == seat
        own = kept.records[number, :count]["to_move"] == seat
        assert own.sum() > 1
        assert (own | kept.is_turning[number, :count])[2:].all()
        assert kept.ends[number]["to_move"] < 0


def test_where_victory_is_out_of_reach_points_decide():
    """Else a review finds no mistakes in a game that was lost early."""
    session = played("figaro", 3)
    analyst = Analyst(registry.game("figaro"), ROLLOUTS)
    late = session.positions[-30:-1]
    evaluations = [advise(position, analyst, playouts=100).evaluation for position in late]
    lost = [evaluation for evaluation in evaluations if evaluation.standing == "lost"]
    assert lost
    for evaluation in lost:
        assert all(worth.loss.in_points for worth in evaluation.moves)
        assert evaluation.best.place > 1.5
    assert any(worth.loss.is_clear for evaluation in lost for worth in evaluation.moves)


def test_the_agent_observes_the_decisions_before_a_position(session):
    witness = Witness()
    analyst = Analyst(session.position.game, witness)
    position = session.positions[10]
    expected = history_of_moves(session.positions, session.moves[:10])
    forecasts_of([position], analyst, playouts=1)
    assert np.array_equal(witness.observed.pop(), expected)


def test_evaluations_and_verdicts_depend_only_on_what_the_seat_may_know(session, analyst):
    at = next(k for k in range(6, 40) if len(session.positions[k].moves()) > 2)
    position = session.positions[at]
    move = session.moves[at]
    others = [position.determinize(position.to_move, seed) for seed in (1, 2)]
    assert any(other != position for other in others)
    results: list[Any] = []
    for possible in (position, *others):
        verdict = judge_decision(possible, move, 0, analyst, playouts=50)
        forecast = forecasts_of([possible], analyst, playouts=4)
        hint = advise(possible, analyst, playouts=50)
        results.append((hint, verdict, forecast.chances.tolist(), forecast.scores.tolist()))
    assert results[0] == results[1] == results[2]


def _stored_budget(budget):
    buffer = io.BytesIO()
    np.savez(buffer, budget=budget)
    return zlib.compress(buffer.getvalue())


def test_playouts_that_a_stranger_has_changed_are_left_out(session, analyst):
    position = session.positions[10]
    found = advise(position, analyst, playouts=50)
    budgets = [_stored_budget(np.array(budget)) for budget in ([1, 2], np.inf, np.nan, -1)]
    for damaged in (b"x", found.stored[:-9], found.stored[::-1], *budgets):
        assert advise(position, analyst, stored=damaged, playouts=50) == found


def test_each_seat_is_shown_what_it_expects_itself(session, analyst):
    positions = session.positions[-12:]
    by_movers = forecasts_of(positions, analyst, playouts=4)
    decisions = [number for number, each in enumerate(positions) if each.to_move is not None]
    worth = MoveWorth("a", 0.5, 9, chance=0.125, score=-3.0, place=2.0, loss=NO_LOSS)
    played = {decisions[0]: worth}
    for reader in range(positions[0].players):
        shown = as_seats_see_themselves(by_movers, positions, reader, played)
        np.testing.assert_allclose(shown.chances.sum(axis=1), 1)
        assert (shown.chances[-1] == by_movers.chances[-1]).all()  # the result
        for number in decisions:
            mover = positions[number].to_move
            assert shown.scores[number, mover] == by_movers.scores[number, mover]
            if mover == reader:
                assert shown.chances[number, mover] == by_movers.chances[number, mover]
        # What a move was worth is shown until its seat decides again.
        own = [number for number in decisions[1:] if positions[number].to_move == reader]
        if positions[decisions[0]].to_move == reader:
            until = slice(decisions[1], own[0] if own else decisions[-1] + 1)
            assert (shown.chances[until, reader] == 0.125).all()
            assert (shown.scores[until, reader] == -3.0).all()


def test_forecasts_of_a_game_end_with_its_result(session, analyst):
    positions = [*session.positions[:12], session.position]
    forecasts = forecasts_of(positions, analyst, playouts=4)
    assert forecasts.chances.shape == forecasts.scores.shape == (13, session.position.players)
    np.testing.assert_allclose(forecasts.chances.sum(axis=1), 1.0, atol=1e-5)
    assert np.flatnonzero(forecasts.chances[-1]).tolist() == session.position.winners
    assert forecasts.scores[-1].tolist() == session.position.scores()


def test_the_worst_mistake_also_loses_in_the_true_position():
    """The loss is no artefact of what the seat can see."""
    session = played("figaro", 3)
    analyst = Analyst(registry.game("figaro"), "search,rollouts=heuristic,simulations=40")
    late = range(len(session.moves) // 2, len(session.moves))
    verdicts = [
        judge_decision(session.positions[at], session.moves[at], at, analyst, playouts=100)
        for at in late
    ]
    chances = [verdict for verdict in verdicts if not verdict.loss.in_points]
    worst = max(chances, key=lambda verdict: verdict.loss.amount - verdict.loss.margin)
    assert mistake_kind(worst, float(session.position.game.score_scale)) is MISTAKE_KINDS[0]
    position = session.positions[worst.number - 1]
    tried = counterfactual(position, [worst.played, worst.best], ["random"], continuations=100)
    assert tried.won(worst.best, worst.seat).mean > tried.won(worst.played, worst.seat).mean
