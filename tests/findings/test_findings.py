"""Questions asked in many boxes, verdicts on the answers, and the facts that explain them."""

import math
import re
import statistics
import tomllib
from itertools import product

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom
from typer.testing import CliRunner

from shakespeare_env.boxes import sample_box
from shakespeare_env.checks.box_files import box_facts, facts_digest
from shakespeare_env.cli import app
from shakespeare_env.core import registry
from shakespeare_env.errors import DatasetError
from shakespeare_research.asking import ask, boxes_of, read_answers, shards_of
from shakespeare_research.facts import DrawnBoxes, explained_by_groups, explained_by_units, matrices
from shakespeare_research.questions import TableSetup, estimates, plays_of, questions_of
from shakespeare_research.report import conclusion, shipped_facts
from shakespeare_research.self_play import self_play
from shakespeare_research.verdicts import ensemble, findings, share_bound, variance_between

GAME = "shakespeare"
OWN = registry.own_box(GAME)


def answers(truths, boxes, players=("heuristic", "network"), seed=0):
    """Make up answers at four seats, given the truth by question and item."""
    rng = np.random.default_rng(seed)
    own = facts_digest(registry.folder(GAME), OWN)
    shard = {"game": GAME, "play": "x", "players": 4, "games": 1, "seed": 0, "n": 100}
    rows = []
    for ((question, item), truth), (box, facts), player in product(
        truths.items(), boxes.items(), players
    ):
        row = {
            "question": question,
            "item": item,
            "box": box,
            "box_digest": box,
            "player": player,
            "agent": player,
            "trained_for": own if player == "network" else "",
            "estimate": truth(player, facts) + rng.normal(0, 0.1),
            "error": 0.1,
        }
        rows.append(shard | row)
    return pl.DataFrame(rows)


QUESTIONS = questions_of(GAME)
BOXES = {  # the one fact of each box by the box's name
    "bundled": 0.0,
    **{f"all{i}": float(x) for i, x in enumerate(np.random.default_rng(5).normal(0, 1, 32))},
    **{f"pay{i}": float(i - 2) for i in range(5)},
    **{f"costs{i}": 0.0 for i in range(5)},
}


def kinds_of(boxes):
    return {name: "own" if name == "bundled" else name.rstrip("0123456789") for name in boxes}


def finding(truth, **options):
    rows = answers({("wager", "5"): truth}, BOXES, **options)
    (found,) = findings(rows, kinds_of(BOXES), QUESTIONS)
    return found


@pytest.mark.parametrize(
    ("truth", "words"),
    [
        (lambda who, x: 0.7 + 0.05 * x, "holds: is worth something in at least 91 % of boxes"),
        (lambda who, x: -0.7, "holds: costs something in at least 91 % of boxes"),
        (lambda who, x: 0.0, "holds: makes no difference of note"),
        (lambda who, x: 0.3 * x, "depends on the box"),
        (lambda who, x: 0.3 if who == "network" else -0.3, "depends on the player"),
        (lambda who, x: 1 + x if who == "network" else 0, "depends on the box and the player"),
    ],
)
def test_a_verdict_tells_the_truth(truth, words):
    found = finding(truth)
    assert conclusion(found) == words
    for player in found.by_player.values():
        assert player.over.boxes == 32
        assert player.bundled is not None
        assert {*player.moved_by} <= {"pay"}


def test_none_of_150_findings_without_a_direction_is_given_one():
    truths = {("wager", str(item)): lambda who, x: 0.3 * x for item in range(150)}
    several = findings(answers(truths, BOXES, seed=3), kinds_of(BOXES), QUESTIONS)
    assert [found.verdict for found in several] == ["depends on the box"] * 150
    every = [player.over for found in several for player in found.by_player.values()]
    assert all(over.low < 0 < over.high for over in every)


def test_one_player_settles_nothing():
    assert finding(lambda who, x: 0.7, players=["network"]).verdict == "open"


def test_the_bound_of_a_share_is_exact():
    assert share_bound(32, 32) == pytest.approx(0.05 ** (1 / 32))
    assert share_bound(0, 5) == 0.0
    assert binom.sf(29, 32, share_bound(30, 32)) == pytest.approx(0.05)


def test_an_ensemble_has_known_values():
    estimates = np.array([1.0, 2.0, 3.0])
    errors = np.full(3, 0.5)
    over = ensemble(estimates, errors)
    assert (over.mean, over.same_sign, over.least, over.most) == (2.0, 3, 1.0, 3.0)
    assert over.between == pytest.approx(0.75**0.5)
    assert over.p_spread == pytest.approx(math.exp(-4))  # Q = 8 with two degrees of freedom
    half = 4.30265 / 3**0.5
    assert (over.low, over.high) == pytest.approx((2 - half, 2 + half), abs=1e-4)
    assert ensemble(estimates, errors, tests=10).low < over.low


def test_the_spread_is_unbiased_if_errors_grow_with_effects():
    """Weighted estimators are biased here, since large effects are measured worst."""
    rng = np.random.default_rng(0)
    spreads = []
    covered = 0
    for _ in range(1000):
        effects = rng.normal(1.0, 0.5, 16)
        errors = np.where(effects > 1, 0.6, 0.3)
        estimates = rng.normal(effects, errors)
        spreads.append(variance_between(estimates, errors))
        over = ensemble(estimates, errors)
        covered += over.low < 1.0 < over.high
    assert np.mean(spreads) == pytest.approx(0.25, abs=0.01)
    assert covered / 1000 == pytest.approx(0.95, abs=0.02)


def test_facts_that_explain_findings_come_first():
    """Acts' lengths and Romeo's cost explain half of the variance each. The rest is noise."""
    own = tomllib.loads(OWN.read_text("utf-8"))
    boxes = {"bundled": own} | {f"all{i}": tomllib.loads(sample_box(GAME, 0, i)) for i in range(32)}
    for group in ("costs", "lengths", "objectives"):
        boxes |= {f"{group}{i}": tomllib.loads(sample_box(GAME, 1, i, [group])) for i in range(16)}
    drawn = DrawnBoxes(GAME, own, boxes)
    assert drawn.kinds == kinds_of(boxes)

    def queen(box):
        return 0.3 * sum(box["acts"]["length"])

    def romeo(box):
        return -0.5 * box["character"][7]["cost"]

    def spread(truth, kind):
        return statistics.variance(truth(boxes[name]) for name in boxes if name.startswith(kind))

    truths = {
        ("queen", "objectives"): lambda who, box: queen(box),
        ("recruit", "Romeo"): lambda who, box: romeo(box),
        **{("wager", str(n)): lambda who, box: 0.7 for n in range(20)},
    }
    values, errors, names = matrices(answers(truths, boxes))
    by_group = explained_by_groups(values, errors, [drawn.kinds[name] for name in names])
    shares = {group.name: group.share for group in by_group}
    for group, truth in (("lengths", queen), ("costs", romeo)):
        assert shares[group] == pytest.approx(
            spread(truth, group) / spread(truth, "all") / 2, abs=0.1
        )
    assert shares["objectives"] == pytest.approx(0, abs=0.05)
    first, second, *others = explained_by_units(values, errors, names, drawn)
    explaining = {(unit.name, unit.group) for unit in (first, second)}
    assert explaining == {("acts", "lengths"), ("Romeo", "costs")}
    assert max(unit.share for unit in others) < second.share / 2


@pytest.fixture
def interpreted(monkeypatch):
    """Keep the boxes' own processes from compiling anything."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


def shards(boxes=(), seats=2, **changed):
    options = {"games": 3, "seed": 1, "only": ["winning_score"], **changed}
    return shards_of(GAME, boxes_of(GAME, boxes), ["random"], [seats], **options)


def test_every_question_has_an_answer():
    game = registry.game(GAME)
    questions = questions_of(GAME)
    table = TableSetup(game, box_facts(OWN), "heuristic", 3, 40, 5)
    plays = plays_of(questions.values(), 3).values()
    rows = pl.concat(estimates(table, of_play) for of_play in plays)
    assert {*rows["question"]} == {*questions}
    assert (rows["error"] > 0).all()
    wagers = rows.filter(question="wager")
    assert wagers["item"].to_list() == ["1", "2", "3", "4", "5"]
    assert wagers["estimate"].sum() == pytest.approx(0)
    played = self_play(GAME, players=3, games=160, agents=["heuristic"], seed=5)
    winners = played.filter(won=1).group_by("deal").agg(pl.col("score").mean())
    (score,) = rows.filter(question="winning_score")["estimate"]
    assert score == pytest.approx(float(winners["score"].mean()) - 24)  # type: ignore[arg-type]


def test_questions_about_victories_are_not_asked_of_one_seat():
    alone = plays_of(questions_of(GAME).values(), 1)
    assert [one.name for one in alone["games"]] == ["winning_score"]
    assert alone.keys().isdisjoint({"wagering", "against_heuristics"})


@pytest.mark.usefixtures("interpreted")
def test_answered_questions_are_not_asked_again(tmp_path):
    folder = tmp_path / "answers [1]"
    assert [shard.play for shard in ask(folder, shards())] == ["games"]
    rows = read_answers(folder)
    assert {*rows["question"]} >= {"place", "seat"}
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("rows-*")}
    assert len(list(ask(folder, shards()))) == 1
    assert kept == {path: path.stat().st_mtime_ns for path in folder.glob("rows-*")}


@pytest.mark.usefixtures("interpreted")
def test_answers_under_several_seeds_and_damaged_ones_are_refused(tmp_path):
    list(ask(tmp_path, shards()))
    list(ask(tmp_path, shards(seed=2)))
    with pytest.raises(DatasetError, match=r"random was asked .* with different networks, --games"):
        read_answers(tmp_path)
    next(tmp_path.glob("rows-*")).write_bytes(b"?")
    with pytest.raises(DatasetError, match=r"is damaged .*; delete it"):
        read_answers(tmp_path)


@pytest.mark.usefixtures("interpreted")
def test_every_box_is_asked_in_a_process_of_its_own(tmp_path, monkeypatch):
    """Two files of the same facts are one box, and this process keeps its own box in force."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "random.py").write_text("raise ImportError('this file must not be imported')")
    text = OWN.read_text("utf-8")
    drawn = tmp_path / "drawn"
    drawn.mkdir()
    (drawn / "same.toml").write_text(f"# mine\n{text}")
    (drawn / "other.toml").write_text(text.replace("length = [9, 10, 10]", "length = [9, 10, 11]"))
    found = list(ask(tmp_path / "answers", shards([drawn], seats=1)))
    assert len({shard.box_digest for shard in found}) == len(found) == 2
    assert read_answers(tmp_path / "answers")["estimate"].n_unique() == 2
    assert registry.box_in_force(GAME) == OWN


def run(*words):
    return CliRunner().invoke(app, ["findings", *map(str, words)])


@pytest.mark.usefixtures("interpreted")
def test_the_command_asks_and_refuses_to_report_on_too_few_boxes(tmp_path):
    options = ["--player", "random", "--players", "2", "--games", "3", "--only", "place"]
    result = run(*options, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "too few boxes" in run("--report", tmp_path).output


def test_the_command_draws_boxes_into_a_new_folder(tmp_path):
    drawn = tmp_path / "drawn"
    assert run("--sample", 5, "--out", drawn).exit_code == 0
    assert len(list(drawn.iterdir())) == 5
    assert "is not empty" in run("--sample", 5, "--out", drawn).output
    unknown = run("--sample", 1, "--out", tmp_path / "other", "--groups", "acters")
    assert "did you mean 'actors'?" in unknown.output


@pytest.fixture
def answered(tmp_path):
    """Return a folder with made-up answers in five boxes."""
    drawn = tmp_path / "answers"
    assert run("--sample", 5, "--out", drawn).exit_code == 0
    boxes = {facts_digest(registry.folder(GAME), file)[:16]: file for file in drawn.iterdir()}
    for digest, file in boxes.items():
        file.rename(drawn / f"box-{digest}.toml")
    truths = {("wager", "1"): lambda *_: -1.0, ("queen", "objectives"): lambda *_: 0.5}
    answers(truths, boxes).drop("box").write_parquet(drawn / "rows-x-0123456789abcdef.parquet")
    return drawn


def test_the_command_reports_on_answers(answered):
    report = run("--report", answered).output
    assert "Trained: heuristic for no box, network for the package's own box." in report
    assert "In points, as played by `heuristic` and `network`: a wager of …" in report
    assert re.search(r"^\| objectives \| `heuristic` \|.+\| open \|$", report, re.MULTILINE)
    assert "| On a copy | of the variance between boxes, % |" in report


def test_a_report_on_one_player_says_that_it_may_not_hold_for_others(answered):
    (rows,) = answered.glob("rows-*.parquet")
    pl.read_parquet(rows).filter(player="network").write_parquet(rows)
    report = run("--report", answered).output
    assert "as played by `network` alone, which may not hold for any other player" in report


def test_the_command_writes_a_report_with_plots_and_numbers(answered, tmp_path):
    out = tmp_path / "report"
    assert run("--report", answered, "--out", out).exit_code == 0
    assert "| 1 | `network` |  | -1." in (out / "page.md").read_text()
    assert pl.read_parquet(out / "findings.parquet").height == 4
    assert (out / "wager-4.png").read_bytes().startswith(b"\x89PNG")
    assert set(shipped_facts().columns) == set(pl.read_json(out / "facts.json").columns)
