"""Checks of a record, and the view that a seat has of it."""
