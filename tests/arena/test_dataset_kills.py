"""A recording that is killed, with and without workers."""

from tests.arena.dataset_kills import content, kill_often, record


def test_killing_it_loses_and_repeats_nothing(tmp_path):
    """`python -m tests.arena.dataset_kills` does it fifty times."""
    kill_often(tmp_path / "killed", games=240, times=2, seed=1, longest_s=0.5)
    for folder in ("killed", "whole"):
        record(tmp_path / folder, games=240)
    assert content(tmp_path / "killed") == content(tmp_path / "whole")
