"""Learning from search (expert iteration, Anthony et al. 2017)."""
