"""GlobeSumm: one event told in many languages, turned into one faithful, measured summary."""

__version__ = "0.1.0"
