"""Everything that compares the cells of a grid: tables, findings, costs and plots."""
