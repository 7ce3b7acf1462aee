"""The paper's own tables, computed again from its printed rows."""

from baselines.tables.findings import findings
from baselines.tables.findings_table import findings_table
from baselines.tables.layouts import layout
from baselines.tables.paper import misprint_notes, paper
from baselines.tables.published_layouts import layout_table
from metrics.printed import Table

FINDINGS = "findings"


def paper_table(name: str) -> Table:
    """The table called `name` (a number, or `FINDINGS`) with averages from its rows.

    Printed averages that are none are named in the notes.  `UsageError` for a table of the
    paper that holds no results.
    """
    if name == FINDINGS:
        held = {5: paper(5), 6: paper(6), 9: paper(9)}
        return findings_table(findings(held))
    number = layout(int(name)).table
    return layout_table(number, paper(number), notes=misprint_notes(number))
