"""What anybody who knows the rules of Shakespeare could say (see `tests/contract/knowledge.py`)."""

PHASES = {
    *("draft", "wager", "turn", "craft", "quill", "back", "queen", "objective", "rest"),
}
_SECTIONS = {
    "S": 6, "W": 4, "T": 18, "M": 3, "R": 2, "U": 3, "P": 4, "F": 4, "V": 4, "D": 3,
}  # fmt: skip
"""Section of the rules -> number of its last rule."""
RULES = {f"{section}{n}" for section, last in _SECTIONS.items() for n in range(1, last + 1)}
RULES.add("F1a")
SECRET_MOVES = True
"""Wagers, objectives and, without the variant, what a character rests (D2)."""
OWN_FIELDS = {"wager"}
"""Its seat alone sees it before it is revealed (D2)."""
