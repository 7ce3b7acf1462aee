"""From the portal's bullets to events with verified reports in many languages (GlobeSumm, 2.1-2.2).

::

    settings    the config file of the whole chain
    seeds       the portal's events that are wanted, and reading them
    wording     a query from language links, numbers and dates, without a model
    translated  a query from a model, with names as language links have them
    queries     queries kept in a file that people may edit
    asking      a model asked many things, each at most twice
    candidates  what BM25 finds for the queries
    judging     a model's answers to the paper's three criteria
    verdicts    what people judged, and whose word counts
    choosing    caps, thresholds, and the reason for everything that is left out
    sources     the portal's days and GDELT's window
    titles      which of GDELT's articles are worth asking for
    pages       the pages they point at, or documents one has
    layout      where each stage keeps its files
    chain       config, folder, events and asker together
    verifying   verdicts and the events they make, as stages
    stages      the stages in order, each resumed by its own files
    plan        what the next run would do
"""
