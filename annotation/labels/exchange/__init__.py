"""Items and labels in the forms of other tools and back, and two projects made one.

::

    jsonl         items and labels, a line each
    flat          labels as CSV or TSV, safe to open in a spreadsheet
    label_studio  tasks with annotations and predictions, as Label Studio takes and gives them
    studio_forms  an answer as Label Studio's results, and back, by kind (key points in
                  studio_highlights); studio_interface the interface that they belong to
    taking        items and labels from elsewhere into a project: nothing lost, conflicts named
    merging       one project's database into another's
    whole         changes that are kept together or not at all
"""
