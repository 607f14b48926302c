"""What the README shows runs as it stands there."""

import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"
PAGE = README.read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
TOP = "shakespeare_env|agents|training|tests|benchmarks|docs"
PATHS = sorted(set(re.findall(rf"`((?:{TOP})/[\w./]*)`", PAGE)))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: text.splitlines()[1][:40])
def test_an_example_runs(example, capsys):
    exec(compile(example, "README.md", "exec"), {"__name__": "example"})


def test_there_are_examples():
    assert len(EXAMPLES) >= 3


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\((?!http)([^)#]+)\)", PAGE))))
def test_a_link_leads_somewhere(target):
    assert (README.parent / target).exists()


@pytest.mark.parametrize("path", PATHS)
def test_a_path_in_the_map_exists(path):
    assert (README.parent / path).exists()
