"""People's labels as other parts take them: judgements of retrieval, marks, verdicts on facts.

::

    relevance  qrels, judgements of the event chain, precision and recall before verification
    issues     marks and gold for scoring [where], inspected findings, GlobeSumm's table 4
    facts      key facts, matching and support as verdicts of people
    models     models' answers against what people decided
    tables     agreement, printed; result_tables the results
    written    a page of tables for a terminal and as HTML
"""
