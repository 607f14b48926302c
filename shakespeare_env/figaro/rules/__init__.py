"""The compiled rules of Figaro, in the order of RULES.md."""
