"""Commands for games in the terminal, in the browser and with language models."""
