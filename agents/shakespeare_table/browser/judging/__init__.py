"""Verdicts on the decisions of games at tables: while a game goes on, and for its review."""
