"""Games played by agents, and what happened in them."""
