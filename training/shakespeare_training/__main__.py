"""Runs `shakespeare train` in a process of a group: `torchrun ... -m shakespeare_training ...`."""

import sys

from shakespeare_env.cli import app

if __name__ == "__main__":
    sys.argv.insert(1, "train")
    app()
