"""The process of one extraction worker: settings in, then pages in and documents out."""

import gc
import os
import signal
import sys
from typing import IO, cast

from retrieval.draft import RawPage
from retrieval.extract_page import Extraction, result_of
from retrieval.extract_pool import receive, send

_PAGES_BETWEEN_COLLECTIONS = 50


def main() -> None:
    """Answer until the other side closes the stream."""
    # An interrupt is for the one who asks; that one's end closes the stream.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Libraries may print; the stream of answers must carry nothing else.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    pages = cast("IO[bytes]", sys.stdin.buffer)
    try:
        settings: Extraction = receive(pages)
        _limit_memory(settings.memory_mb)
        _warm_up(settings)
        send(answers, "ready")
        # Trees of pages hang together in cycles, and looking for those after every few hundred
        # objects takes a tenth of the time.
        gc.disable()
        number = 0
        while True:
            page: RawPage = receive(pages)
            send(answers, result_of(page, settings))
            number += 1
            if number % _PAGES_BETWEEN_COLLECTIONS == 0:
                gc.collect()
    except (EOFError, BrokenPipeError):
        return


def _limit_memory(mebibytes: int) -> None:
    """Make allocations beyond the limit fail, where the system has such a limit."""
    try:
        import resource
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = mebibytes * 1024 * 1024
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
    except (ValueError, OSError):
        return


def _warm_up(settings: Extraction) -> None:
    """Load what the first page would have to wait for."""
    words = "<p>The bridge over the river was closed after engineers found cracks in it.</p>"
    result_of(
        RawPage(content=f"<html><body>{words * 2}</body></html>".encode(), where=""), settings
    )


if __name__ == "__main__":
    main()
