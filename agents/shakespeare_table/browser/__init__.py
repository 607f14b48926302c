"""A table in the browser: play, watch and review games."""
