"""Strategy research: what good play is worth, from games of agents."""
