"""What exact near-duplicates cost beside rensa alone, in one run on one machine.

``python tests/benchmarks/bench_duplicates.py`` prints a Markdown table.  The texts are made: words
of a skewed vocabulary, a fifth of them copies with up to a dozen words changed.  rensa alone is
what its users write: shingles of five words cut at blanks, MinHash, one query of the index; its
candidates are neither compared nor put in order.  Ours reads words as they are in every script,
compares each candidate exactly and says which document is kept.  Rounds are run in turns; shown
is the middle.
"""

import argparse
import itertools
import statistics
import time
from random import Random

from retrieval.duplicates.near import THRESHOLD, banding, copies_among
from retrieval.duplicates.shingles import Shingler


def texts(count: int, draw: Random) -> list[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    pool = ["".join(draw.choices(letters, k=draw.randrange(2, 10))) for _ in range(20_000)]
    weights = list(itertools.accumulate(1 / (rank + 1) for rank in range(len(pool))))
    made: list[str] = []
    while len(made) < count:
        words = draw.choices(pool, cum_weights=weights, k=draw.randrange(100, 500))
        made.append(" ".join(words))
        if draw.random() < 0.2:
            for _ in range(draw.randrange(1, 3)):
                copy = list(words)
                for _ in range(draw.randrange(13)):
                    copy[draw.randrange(len(copy))] = draw.choice(pool)
                made.append(" ".join(copy))
    draw.shuffle(made)
    return made[:count]


def rensa_alone(documents: list[str]) -> int:
    from rensa import RMinHash, RMinHashLSH

    bands, rows = banding(THRESHOLD)
    sets = []
    for document in documents:
        words = document.split()
        sets.append({" ".join(words[at : at + 5]) for at in range(len(words) - 4)})
    digests = RMinHash.from_token_sets(sets, bands * rows, 42)
    index = RMinHashLSH(THRESHOLD, bands * rows, bands)
    index.insert_many(digests)
    return sum(len(found) > 1 for found in index.query_all(digests))


def ours(documents: list[str]) -> int:
    shingler = Shingler()
    return sum(1 for _ in copies_among([shingler.shingles(one) for one in documents]))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--documents", type=int, default=20_000)
    options.add_argument("--rounds", type=int, default=5)
    chosen = options.parse_args()
    documents = texts(chosen.documents, Random(5))
    ways = {"rensa alone": rensa_alone, "globesumm": ours}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    found: dict[str, int] = {}
    for _ in range(chosen.rounds):
        for name, way in ways.items():
            start = time.process_time()
            found[name] = way(documents)
            seconds[name].append(time.process_time() - start)
    print(f"| {chosen.documents} documents | s of processor | beside rensa | found |")
    print("|---|---|---|---|")
    for name, took in seconds.items():
        ratios = [own / base for own, base in zip(took, seconds["rensa alone"], strict=True)]
        print(
            f"| {name} | {statistics.median(took):.2f} | {statistics.median(ratios):.2f} "
            f"| {found[name]} |"
        )
    print("\nFound: rensa, documents with a candidate; ours, copies to leave out.")


if __name__ == "__main__":
    main()
