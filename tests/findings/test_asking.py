"""Asking, resuming and reporting."""

import polars as pl
import pytest
from typer.testing import CliRunner

from shakespeare_agents.findings.asking import ask, put_in_force, read_answers, shards_of
from shakespeare_agents.findings.questions import Table, estimates, questions_of
from shakespeare_agents.strategy.self_play import self_play
from shakespeare_env.boxes import sample_box
from shakespeare_env.checks.box_files import box_facts, facts_digest
from shakespeare_env.cli import app
from shakespeare_env.core import registry
from shakespeare_env.errors import DatasetError
from tests.findings.made_up import answers

GAME = "shakespeare"


def test_every_question_has_an_answer():
    game = registry.game(GAME)
    table = Table(game, 0, box_facts(registry.own_box(GAME)), "heuristic", 3, 60, 5)
    found = {name: estimates(table, asked) for name, asked in questions_of(GAME).plays(3).items()}
    rows = pl.concat(found.values())
    assert {*rows["question"]} == {one.name for one in questions_of(GAME)}
    assert (rows["error"] > 0).all()
    wagers = rows.filter(pl.col("question") == "wager")
    assert wagers["item"].to_list() == ["1", "2", "3", "4", "5"]
    assert wagers["estimate"].sum() == pytest.approx(0)
    played = self_play(GAME, players=3, games=240, player="heuristic", seed=5)
    winners = played.filter(pl.col("won") == 1).group_by("deal").agg(pl.col("score").mean())
    (score,) = rows.filter(pl.col("question") == "winning_score")["estimate"]
    assert score == pytest.approx(float(winners["score"].mean()) - 24)  # type: ignore[arg-type]
    assert {"place", "wager", "strength"}.isdisjoint(
        one.name for asked in questions_of(GAME).plays(1).values() for one in asked
    )


def test_what_is_answered_is_not_asked_again(tmp_path):
    def shards(**changed):
        options = {"games": 3, "seed": 1, "only": ["wages"], **changed}
        return shards_of(GAME, ["random"], [2], **options)

    folder = tmp_path / "answers"
    first = ask(folder, shards())
    assert [shard.play for shard in first] == ["games"]
    rows = read_answers(folder)
    assert {*rows["question"]} >= {"place", "seat"}
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("rows-*")}
    assert len(list(ask(folder, shards()))) == 1
    assert kept == {path: path.stat().st_mtime_ns for path in folder.glob("rows-*")}
    list(ask(folder, shards(seed=2)))
    with pytest.raises(DatasetError, match="several networks, --games or --seed"):
        read_answers(folder)
    list(ask(tmp_path / "few", shards(games=1)))
    with pytest.raises(DatasetError, match="nothing came up in 10 deals or more"):
        read_answers(tmp_path / "few")
    next(folder.glob("rows-*")).write_bytes(b"?")
    with pytest.raises(DatasetError, match="is damaged"):
        read_answers(folder)


def test_what_cannot_be_asked_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"no question 'wagerr' .did you mean 'wager'"):
        shards_of(GAME, ["random"], [2], games=1, seed=0, only=["wagerr"])
    with pytest.raises(ValueError, match="no questions about figaro"):
        questions_of("figaro")
    with pytest.raises(DatasetError, match="has no box; make some with"):
        put_in_force(GAME, tmp_path / "new", [tmp_path])
    (tmp_path / "mine.txt").touch()
    with pytest.raises(DatasetError, match="holds other things"):
        list(ask(tmp_path, []))


def test_the_commands_ask_and_report(tmp_path):
    folder, run = tmp_path / "answers", CliRunner().invoke
    asked = ["findings", "--player", "random", "--players", "2", "--games", "3", "--only", "place"]
    done = run(app, [*asked, "--out", str(folder)])
    assert done.exit_code == 0, done.output
    few = run(app, ["findings", "report", str(folder)])
    assert "has answers from too few boxes; ask in 4 or more" in few.output
    made = tmp_path / "made"
    made.mkdir()
    boxes = {}
    for number in range(5):
        file = made / "box.toml"
        file.write_text(sample_box(GAME, 0, number))
        digest = facts_digest(registry.folder(GAME), file)[:16]
        boxes[digest] = file.rename(made / f"box-{digest}.toml")
    truths = {("wager", "1"): lambda who, box: -1.0, ("queen", "objectives"): lambda who, box: 0.5}
    answers(truths, boxes).drop("box").write_parquet(made / "rows-x-0123456789abcdef.parquet")
    said = run(app, ["findings", "report", str(made)]).output
    assert "- Open at four seats: the Queen's objectives, against her money (heuristic +0." in said
    out = tmp_path / "out"
    assert run(app, ["findings", "report", str(made), "--out", str(out)]).exit_code == 0
    assert "| 1 | `network` |  | -1." in (out / "page.md").read_text()
    assert pl.read_parquet(out / "findings.parquet").height == 4
    assert (out / "wager-4.png").read_bytes().startswith(b"\x89PNG")
    listed = run(app, ["boxes", "ask", str(made), "--rows", "3"])
    assert "Share, %" in listed.output
    assert "costume" in run(app, ["boxes", "ask"]).output
