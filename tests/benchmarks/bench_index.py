"""Indexing and searching beside pyserini's own classes, in one run.

    python tests/benchmarks/bench_index.py [--documents 20000] [--words 200]

CPU seconds of the process, Java's threads included; the ratio is pyserini's time over ours, so
more than 1 is faster than pyserini.  Texts are drawn from a Zipf distribution over made-up words.
"""

import argparse
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from globesumm.values import Document
from retrieval.index import Bm25, Index, java

REPEATS = 4


def documents(count: int, words: int) -> list[Document]:
    drawn = np.random.default_rng(0)
    known = np.array([f"word{n:x}s" for n in range(50_000)])
    texts = known[np.minimum(drawn.zipf(1.3, (count, words)), len(known)) - 1]
    return [
        Document(id=f"d{place}", text=" ".join(text), language="en")
        for place, text in enumerate(texts)
    ]


def queries(count: int) -> dict[str, str]:
    drawn = np.random.default_rng(1)
    return {
        f"q{place}": " ".join(f"word{n:x}s" for n in numbers)
        for place, numbers in enumerate(drawn.integers(5, 20_000, (count, 6)))
    }


def cpu(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def ours(folder: Path, texts: Sequence[Document]) -> None:
    Index(folder).add(texts)


def theirs(folder: Path, texts: Sequence[Document]) -> None:
    from pyserini.index.lucene import LuceneIndexer

    indexer = LuceneIndexer(args=["-index", str(folder), "-language", "en", "-storeRaw"], threads=2)
    for start in range(0, len(texts), 1000):
        indexer.add_batch_dict(
            [{"id": one.id, "contents": one.text} for one in texts[start : start + 1000]]
        )
    indexer.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--words", type=int, default=200)
    options = parser.parse_args()
    os.environ.setdefault("OPENAI_API_KEY", "unused")
    java.start()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    texts, asked = documents(options.documents, options.words), queries(2000)
    root = Path(tempfile.mkdtemp())
    try:
        times: dict[str, list[float]] = {"ours": [], "theirs": []}
        for repeat in range(REPEATS):
            for name, work in (("ours", ours), ("theirs", theirs)):
                folder = root / f"{name}{repeat}"
                times[name].append(cpu(partial(work, folder, texts)))
        _tell("indexing", times)
        print(f"{len(texts) / min(times['ours']):.0f} documents a CPU-second")
        _search(root, asked)
    finally:
        shutil.rmtree(root)


def _search(root: Path, asked: dict[str, str]) -> None:
    from pyserini.search.lucene import LuceneSearcher

    index = Index(root / "ours0")
    own: Any = LuceneSearcher(str(root / "theirs0"))
    for k, count in ((10, 2000), (1000, 200)):
        some = dict(list(asked.items())[:count])
        times: dict[str, list[float]] = {"ours": [], "theirs": []}
        for _ in range(2 * REPEATS):
            times["ours"].append(cpu(partial(_ours, index, some, k)))
            times["theirs"].append(cpu(partial(_theirs, own, some, k)))
        _tell(f"search, k = {k}", times)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"most memory {most:.0f} MB")


def _ours(index: Index, asked: dict[str, str], k: int) -> object:
    return [hits for _, hits in index.search_many(asked, "en", Bm25(k=k))]


def _theirs(own: Any, asked: dict[str, str], k: int) -> object:
    found = own.batch_search(list(asked.values()), list(asked), k, 2)
    return [[(hit.docid, hit.score) for hit in hits] for hits in found.values()]


def _tell(what: str, times: dict[str, list[float]]) -> None:
    ratio = min(times["theirs"]) / min(times["ours"])
    print(
        f"{what}: ours {min(times['ours']):.2f} s, pyserini {min(times['theirs']):.2f} s, "
        f"ratio {ratio:.2f}"
    )


if __name__ == "__main__":
    main()
