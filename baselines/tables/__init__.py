"""Everything that compares the cells of a grid: tables, findings, costs and plots."""

from baselines.tables.written import write_tables

__all__ = ["write_tables"]
