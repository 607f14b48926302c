"""Asking box after box, resuming and reporting."""

import polars as pl
import pytest
from typer.testing import CliRunner

from shakespeare_env.checks.box_files import box_facts, facts_digest
from shakespeare_env.cli import app
from shakespeare_env.core import registry
from shakespeare_env.errors import DatasetError
from shakespeare_research.asking import ask, boxes_of, read_answers, shards_of
from shakespeare_research.questions import Table, estimates, plays_of, questions_of
from shakespeare_research.report import shipped_facts
from shakespeare_research.trials import self_play
from tests.findings.made_up import answers

GAME = "shakespeare"


@pytest.fixture
def interpreted(monkeypatch):
    """Boxes' own processes compile nothing."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


def shards(boxes=(), seats=2, **changed):
    options = {"games": 3, "seed": 1, "only": ["winning_score"], **changed}
    return shards_of(GAME, boxes_of(GAME, boxes), ["random"], [seats], **options)


def test_every_question_has_an_answer():
    game, questions = registry.game(GAME), questions_of(GAME)
    table = Table(game, box_facts(registry.own_box(GAME)), "heuristic", 3, 40, 5)
    plays = plays_of(questions.values(), 3).values()
    rows = pl.concat(estimates(table, asked) for asked in plays)
    assert {*rows["question"]} == {*questions}
    assert (rows["error"] > 0).all()
    wagers = rows.filter(question="wager")
    assert wagers["item"].to_list() == ["1", "2", "3", "4", "5"]
    assert wagers["estimate"].sum() == pytest.approx(0)
    played = self_play(GAME, players=3, games=160, player="heuristic", seed=5)
    winners = played.filter(won=1).group_by("deal").agg(pl.col("score").mean())
    (score,) = rows.filter(question="winning_score")["estimate"]
    assert score == pytest.approx(float(winners["score"].mean()) - 24)  # type: ignore[arg-type]
    alone = {
        question.name for asked in plays_of(questions.values(), 1).values() for question in asked
    }
    assert alone.isdisjoint({"place", "wager", "strength"})


@pytest.mark.usefixtures("interpreted")
def test_what_is_answered_is_not_asked_again(tmp_path):
    folder = tmp_path / "answers [1]"
    assert [shard.play for shard in ask(folder, shards())] == ["games"]
    rows = read_answers(folder)
    assert {*rows["question"]} >= {"place", "seat"}
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("rows-*")}
    assert len(list(ask(folder, shards()))) == 1
    assert kept == {path: path.stat().st_mtime_ns for path in folder.glob("rows-*")}
    list(ask(folder, shards(seed=2)))
    with pytest.raises(DatasetError, match="several"):
        read_answers(folder)
    next(folder.glob("rows-*")).write_bytes(b"?")
    with pytest.raises(DatasetError, match="damaged"):
        read_answers(folder)


@pytest.mark.usefixtures("interpreted")
def test_every_box_is_asked_in_a_process_of_its_own(tmp_path, monkeypatch):
    """Two files of the same facts are one box, and this process goes on with its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "random.py").write_text("raise ImportError('what lies there is not imported')")
    (tmp_path / "drawn").mkdir()
    text = registry.own_box(GAME).read_text("utf-8")
    other = text.replace("length = [9, 10, 10]", "length = [9, 10, 11]")
    assert other != text
    for name, box in (("same", f"# mine\n{text}"), ("other", other)):
        (tmp_path / "drawn" / f"{name}.toml").write_text(box)
    found = list(ask(tmp_path / "answers", shards([tmp_path / "drawn"], seats=1)))
    assert len({shard.box_digest for shard in found}) == len(found) == 2
    rows = read_answers(tmp_path / "answers")
    assert rows["estimate"].n_unique() == 2
    assert registry.box_in_force(GAME) == registry.own_box(GAME)


def test_what_cannot_be_asked_is_refused(tmp_path):
    for refused, asked in (
        (ValueError, lambda: shards(only=["wagerr"])),
        (ValueError, lambda: questions_of("figaro")),
        (DatasetError, lambda: boxes_of(GAME, [tmp_path])),
        (DatasetError, lambda: read_answers(tmp_path)),
    ):
        with pytest.raises(refused):
            asked()


@pytest.mark.usefixtures("interpreted")
def test_the_commands_ask_and_report(tmp_path):
    def run(*words):
        return CliRunner().invoke(app, ["findings", *map(str, words)])

    folder, made, out = (tmp_path / name for name in ("answers", "made", "out"))
    asked = "--player", "random", "--players", "2", "--games", "3", "--only", "place"
    done = run(*asked, "--out", folder)
    assert done.exit_code == 0, done.output
    assert "too few boxes" in run("--report", folder).output
    assert run("--sample", 5, "--out", made).exit_code == 0
    assert "is not empty" in run("--sample", 5, "--out", made).output
    unknown = run("--sample", 1, "--out", out, "--groups", "acters")
    assert "did you mean 'actors'?" in unknown.output
    boxes = {facts_digest(registry.folder(GAME), file)[:16]: file for file in made.iterdir()}
    for digest, file in boxes.items():
        file.rename(made / f"box-{digest}.toml")
    truths = {("wager", "1"): lambda *_: -1.0, ("queen", "objectives"): lambda *_: 0.5}
    answers(truths, boxes).drop("box").write_parquet(made / "rows-x-0123456789abcdef.parquet")
    report = run("--report", made).output
    assert "Trained: heuristic for no box, network for the package's own box." in report
    assert (
        "- Open at four seats: the Queen's objectives, against her money (heuristic +0." in report
    )
    assert "| On a copy | of the variance between boxes, % |" in report
    assert run("--report", made, "--out", out).exit_code == 0
    assert "| 1 | `network` |  | -1." in (out / "page.md").read_text()
    assert pl.read_parquet(out / "findings.parquet").height == 4
    assert (out / "wager-4.png").read_bytes().startswith(b"\x89PNG")
    assert set(shipped_facts().columns) == set(pl.read_json(out / "facts.json").columns)
