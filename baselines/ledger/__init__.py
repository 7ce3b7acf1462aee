"""Every conflict over the rounds of a summary: who says what, why, and what became of it."""

from baselines.ledger.building import Judge, ledger
from baselines.ledger.nearness import Nearness
from baselines.ledger.values import Entry, Handling, Plan, Treatment, Voice

__all__ = ["Entry", "Handling", "Judge", "Nearness", "Plan", "Treatment", "Voice", "ledger"]
