"""`python -m shakespeare_env.cli` is the command `shakespeare`."""

from shakespeare_env.cli import app

app(prog_name="shakespeare")
