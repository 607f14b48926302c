"""Runs `shakespeare train` in a process of a group: `torchrun ... -m shakespeare_training ...`."""

import sys

from shakespeare_env.cli import app
from shakespeare_training.stopping import exit_at_once

if __name__ == "__main__":
    sys.argv.insert(1, "train")
    try:
        app()
    except SystemExit as ended:
        exit_at_once(ended.code if isinstance(ended.code, int) else 0)
