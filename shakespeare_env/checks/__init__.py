"""Checks of input from outside: values, positions, files, boxes and requests for memory."""
