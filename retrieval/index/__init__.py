"""BM25 over documents, one Lucene index for each language (GlobeSumm, 2.1; pyserini)."""

from retrieval.index.analyzers import Analysis, analyses, analysis
from retrieval.index.bm25 import Bm25, Hit, Window
from retrieval.index.folder import Added, Index

__all__ = ["Added", "Analysis", "Bm25", "Hit", "Index", "Window", "analyses", "analysis"]
