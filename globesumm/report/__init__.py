"""The report of a run: one self-contained HTML file, made from the run folder alone."""

from globesumm.report.page import write_report

__all__ = ["write_report"]
