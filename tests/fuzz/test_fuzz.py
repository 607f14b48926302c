"""The fuzzer finds faults of every kind, and a few fixed cases of every target find none."""

import pytest

from tests.fuzz import campaign, faulty
from tests.fuzz.campaign import CRASH, HANG, distinct, generator, names

FAULTY = faulty.__name__
CASES = 200
FEW = {"boxes": 4, "programs": 1, "runs": 20, "commands": 30, "tables": 40}
"""Cases of the slow targets."""


@pytest.fixture(scope="module")
def result():
    return campaign.run(FAULTY, seed=5, cases=60, workers=2, patience=0.5)


def test_every_fault_is_found_with_its_case(result):
    """A crash, a hang, too much memory and an exception, and the cases after each still run."""
    ends = [faulty.ends_in(generator(FAULTY, 5, number)) for number in range(60)]
    expected = {number: end for number, end in enumerate(ends) if end != "fine"}
    assert set(expected.values()) == {"crash", "hang", "memory", "exception"}
    assert {finding.number: finding.kind for finding in result.findings} == expected
    assert result.cases == 60
    assert result.words == {end: ends.count(end) for end in set(ends)}


def test_a_finding_says_what_and_where_and_how_to_see_it_again(result):
    for finding in result.findings:
        assert finding.command.endswith(f"{FAULTY} --seed 5 --case {finding.number}")
        if finding.kind == CRASH:
            assert finding.what.startswith("SIGSEGV in ")
        if finding.kind == HANG:
            assert "faulty.py" in finding.what


def test_findings_of_one_fault_count_as_one(result):
    kinds = [finding.kind for finding, _ in distinct(result.findings)]
    assert sorted(kinds) == ["crash", "exception", "hang", "memory"]


def test_workers_share_the_same_cases():
    one, two = (campaign.run("moves", seed=3, cases=80, workers=workers) for workers in (1, 2))
    assert one.words == two.words


@pytest.mark.parametrize("name", names())
def test_a_target_withstands_its_fixed_cases(name):
    result = campaign.run(name, seed=0, cases=FEW.get(name, CASES), workers=1)
    assert result.cases == FEW.get(name, CASES)
    found = [f"{found.what}\n{found.command}" for found, _ in distinct(result.findings)]
    assert not found, "\n".join(found)
