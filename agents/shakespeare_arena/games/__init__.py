"""Games of agents: who sits where, the referee, how games are played and kept."""
