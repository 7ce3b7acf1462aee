"""Summaries whose coverage and faithfulness are known, and whether metrics order them rightly."""

from metrics.truth.articles import Article, Points, read_articles, shipped
from metrics.truth.check import Checked, Subject, check
from metrics.truth.compose import compose
from metrics.truth.known import Known, read_labels

__all__ = [
    "Article",
    "Checked",
    "Known",
    "Points",
    "Subject",
    "check",
    "compose",
    "read_articles",
    "read_labels",
    "shipped",
]
