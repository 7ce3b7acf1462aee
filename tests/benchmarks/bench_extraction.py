"""What extraction costs beside bare trafilatura, and what a second worker brings.

``python tests/benchmarks/bench_extraction.py`` prints a Markdown table over saved pages: those
below ``--pages`` (``.html`` or ``.html.gz``; default the `pages` of the folder that
``GLOBESUMM_DATA`` names, else the sample events').  Processor seconds are of one process and
hardly depend on who else works on the machine; the last line is by the clock, so the load is
printed with it: on a machine that is busy it says nothing.
"""

import argparse
import gc
import gzip
import logging
import os
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import globesumm
from globesumm.values import Document, Rejected
from retrieval.draft import PageRefused, RawPage
from retrieval.extract import extract
from retrieval.extract_page import Extraction
from retrieval.page import draft_from, page_of

SETTINGS = Extraction(now=datetime(2026, 12, 1, tzinfo=UTC))
ROUNDS = 3


def saved_pages(folder: Path, most: int) -> list[RawPage]:
    """The pages below `folder`, at most `most`, evenly picked in the order of their names."""
    found = sorted([*folder.rglob("*.html"), *folder.rglob("*.html.gz")])
    step = max(1, len(found) // most)
    return [
        RawPage(
            content=gzip.decompress(path.read_bytes())
            if path.suffix == ".gz"
            else path.read_bytes(),
            where=path.name,
        )
        for path in found[::step][:most]
    ]


def default_folder() -> Path:
    data = os.environ.get("GLOBESUMM_DATA")
    pages = Path(data or "") / "pages"
    return pages if data and pages.is_dir() else Path(globesumm.__file__).parent / "samples"


def bare(pages: Sequence[RawPage]) -> None:
    """Trafilatura as one calls it: text, title, date and the like."""
    import trafilatura

    for page in pages:
        trafilatura.bare_extraction(
            page.content, with_metadata=True, include_comments=False, include_tables=False
        )


def reports(pages: Sequence[RawPage]) -> None:
    """The same of our own: text, title, dates, authors, address."""
    for page in pages:
        try:
            draft_from(page_of(page), SETTINGS.now)
        except PageRefused:
            continue


def documents(pages: Sequence[RawPage]) -> None:
    """The whole way: reports, their language, the page gate."""
    for _ in extract(pages, settings=SETTINGS):
        pass


def processor_seconds(work: Callable[[Sequence[RawPage]], None], pages: Sequence[RawPage]) -> float:
    gc.collect()
    started = time.process_time()
    work(pages)
    return time.process_time() - started


def by_clock(pages: Sequence[RawPage], workers: int) -> tuple[float, list[Document | Rejected]]:
    """Seconds from the first result, so that starting the workers is not counted, and results."""
    results = extract(pages, workers=workers, settings=SETTINGS)
    # The first pages of each worker wait for it to start.
    found = [next(results) for _ in range(4 * workers)]
    started = time.perf_counter()
    found += results
    return (time.perf_counter() - started) / (len(pages) - 4 * workers), found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=Path, default=default_folder(), metavar="FOLDER")
    parser.add_argument("--most", type=int, default=120, metavar="N", help="pages (default 120)")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    pages = saved_pages(options.pages, options.most)
    if len(pages) < 20:
        parser.error(f"{options.pages} holds {len(pages)} pages: 20 and more are needed")
    size = sum(len(page.content) for page in pages) / len(pages) / 1024
    print(f"{len(pages)} pages of {size:.0f} KiB on average\n")
    for work in (bare, reports, documents):
        work(pages[:5])
    # Side by side, so that what else happens on the machine meets all alike.
    times: dict[str, list[float]] = {"bare": [], "reports": [], "documents": []}
    for _ in range(ROUNDS):
        for work in (bare, reports, documents):
            times[work.__name__].append(processor_seconds(work, pages))
    least = {name: min(seconds) for name, seconds in times.items()}
    print("| | ms a page | speed / bare trafilatura |")
    print("| --- | --- | --- |")
    for name, what in (
        ("bare", "bare trafilatura with metadata"),
        ("reports", "text and facts of a report"),
        ("documents", "and its language and the page gate"),
    ):
        own, ratio = 1000 * least[name] / len(pages), least["bare"] / least[name]
        print(f"| {what} | {own:.1f} | {ratio:.2f} |")
    many = pages * max(1, 400 // len(pages))
    one, first = by_clock(many, 1)
    before = time.process_time()
    two, second = by_clock(many, 2)
    feeding = 1000 * (time.process_time() - before) / len(many)
    print(f"| feeding two workers, of this process | {feeding:.1f} | |")
    print(f"| one worker, by the clock | {1000 * one:.1f} | |")
    print(f"| two workers, by the clock ({one / two:.2f}× one) | {1000 * two:.1f} | |")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"\nload {load:.1f} on {os.cpu_count()} cores; one and two agree: {first == second}")
    return 0 if first == second else 1


if __name__ == "__main__":
    sys.exit(main())
