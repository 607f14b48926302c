"""An arena's results as one HTML file that needs no network."""

from __future__ import annotations

from shakespeare_agents.arena.report.about import About, about_results
from shakespeare_agents.arena.report.page import report_html, write_report

__all__ = ["About", "about_results", "report_html", "write_report"]
