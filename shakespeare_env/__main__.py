"""`python -m shakespeare_env` is the command `shakespeare`."""

from shakespeare_env.cli import app

app(prog_name="shakespeare")
