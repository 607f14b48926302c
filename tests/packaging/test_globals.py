"""Importing and using our packages changes nothing that other code in the process relies on."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.packaging import global_state

for library in ("torch", "sb3_contrib", "matplotlib"):
    pytest.importorskip(library)


@pytest.fixture(scope="module")
def changed():
    done = subprocess.run(
        [sys.executable, "-m", global_state.__name__], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("act", [act.__name__ for act in global_state.ACTS])
def test_nothing_of_others_is_changed(changed, act):
    assert changed[act] == {}


def test_what_is_changed_would_be_found(monkeypatch):
    import random
    import warnings

    before = global_state.state()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        random.random()
        monkeypatch.setenv("OMP_DYNAMIC", "true")
        after = global_state.state()
    found = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    assert {"warnings.filters", "random", "os.environ OMP_DYNAMIC"} <= found
