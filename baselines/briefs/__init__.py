"""A brief: what happened, who agrees, who leaves out what, who contradicts whom, and the sources.

::

    asked       what a brief is asked about, and what decides its choice of reports
    searching   words → reports of an index
    story       reports → those that tell of one event
    choosing    reports → the event: languages, days, near-copies, publishers
    claims      what several report, and what each leaves out
    composing   a run folder → a `Brief`
    versions    what was said before: corrections, and what became of conflicts
"""

from baselines.briefs.asked import REQUEST, Kind, Request
from baselines.briefs.composing import brief_of
from baselines.briefs.values import Brief

__all__ = ["REQUEST", "Brief", "Kind", "Request", "brief_of"]
