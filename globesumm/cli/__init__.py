"""The command ``globesumm VERB``; a verb's module is imported only when it is called."""

import sys
from collections.abc import Sequence

from globesumm.cli.main import run


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status (0 done, 1 with failures, 2 told why not)."""
    return run(sys.argv[1:] if arguments is None else list(arguments))
