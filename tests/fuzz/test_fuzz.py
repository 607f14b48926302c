"""The fuzzer finds faults of every kind, and a few fixed cases of every target find none."""

from collections import Counter

import pytest

from tests.fuzz import campaign, faulty
from tests.fuzz.campaign import CRASH, HANG, distinct, generator, names

FAULTY = faulty.__name__
FEW = {"boxes": 4, "runs": 20, "commands": 30, "tables": 40}
"""Cases of the slow targets."""


def test_every_fault_is_found_with_its_case():
    """A crash, a hang, too much memory and an exception, and the cases after each still run."""
    ends = [faulty.ends_in(generator(FAULTY, 5, number)) for number in range(60)]
    expected = {number: end for number, end in enumerate(ends) if end != "fine"}
    assert set(expected.values()) == {"crash", "hang", "memory", "exception"}
    result = campaign.run(FAULTY, seed=5, cases=60, workers=2, patience=0.5)
    assert {finding.number: finding.kind for finding in result.findings} == expected
    assert result.words == {end: ends.count(end) for end in set(ends)}
    for finding in result.findings:
        assert finding.command.endswith(f"{FAULTY} --seed 5 --case {finding.number}")
        assert finding.kind != CRASH or finding.what.startswith("SIGSEGV in ")
        assert finding.kind != HANG or "faulty.py" in finding.what
    # Findings of one fault count as one.
    kinds = [finding.kind for finding, _ in distinct(result.findings)]
    assert sorted(kinds) == ["crash", "exception", "hang", "memory"]


@pytest.mark.parametrize("name", names())
def test_a_target_withstands_its_fixed_cases(name):
    cases = FEW.get(name, 200)
    result = campaign.run(name, seed=0, cases=cases, workers=1)
    assert result.words.total() == cases
    found = [f"{found.what}\n{found.command}" for found, _ in distinct(result.findings)]
    assert not found, "\n".join(found)
    if name == "moves":  # whose cases are quick, and the same in every process
        checked = campaign.target(name)
        words = Counter(checked.check(generator(name, 0, number)) for number in range(cases))
        assert words == result.words
