"""Summary sentences with the sentences of documents that say so, and each document's share.

>>> from baselines.citations import Citer
>>> Citer(None).method
'sources of the merge only'
"""

from baselines.citations.citing import Citer
from baselines.citations.shares import Share, by_document, by_language
from baselines.citations.values import Basis, Citation, Standing, Support
from baselines.citations.written import CITATIONS, markdown, read_citations, text, write_citations

__all__ = [
    "CITATIONS",
    "Basis",
    "Citation",
    "Citer",
    "Share",
    "Standing",
    "Support",
    "by_document",
    "by_language",
    "markdown",
    "read_citations",
    "text",
    "write_citations",
]
