"""Ranking methods by their scores on the same documents (Bradley and Terry, 1952)."""

from metrics.ranking.bradley_terry import abilities, has_maximum
from metrics.ranking.rank import Pair, Ranked, Ranking, rank
from metrics.ranking.scores import Scored, ScoreTable, score_table
from metrics.ranking.settings import Settings

__all__ = [
    "Pair",
    "Ranked",
    "Ranking",
    "ScoreTable",
    "Scored",
    "Settings",
    "abilities",
    "has_maximum",
    "rank",
    "score_table",
]
