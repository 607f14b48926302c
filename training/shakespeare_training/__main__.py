"""Runs `shakespeare train` in a process of a group: `torchrun ... -m shakespeare_training ...`."""

import sys

from shakespeare_env.cli import app

if __name__ == "__main__":
    sys.argv.insert(1, "train")
    try:
        app()
    except SystemExit as ended:
        from shakespeare_training.group import exit_at_once

        exit_at_once(ended.code if isinstance(ended.code, int) else 0)
