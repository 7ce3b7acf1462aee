"""Copies of one report: nearly the same words in one language, or one wire story in several."""
