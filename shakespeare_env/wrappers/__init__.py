"""The engine for other libraries; no rule of a game is written here."""
