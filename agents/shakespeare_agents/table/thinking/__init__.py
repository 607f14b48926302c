"""Processes in which agents think, so that a table waits for none and ends any."""
