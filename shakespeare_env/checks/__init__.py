"""Checks of what comes from outside: values, positions, files, boxes, requests for memory."""
