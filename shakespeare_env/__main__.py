"""The command `shakespeare`, run as `python -m shakespeare_env`."""

from shakespeare_env.cli import app

app(prog_name="shakespeare")
