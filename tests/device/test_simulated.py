"""Rules on a GPU play as on the CPU, as Numba's simulator shows without one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.device.simulated import PARTS

MODE = {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_in_the_simulator(part):
    """The simulator runs kernels in Python, a thread for every row, in a process of its own."""
    command = [sys.executable, "-m", "tests.device.simulated", part]
    found = subprocess.run(command, env=os.environ | MODE, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
