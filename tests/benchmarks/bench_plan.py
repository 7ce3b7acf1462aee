"""How long the plan of a whole grid takes, and what it saves to plan its cells together.

``python tests/benchmarks/bench_plan.py`` prints a Markdown table: for made-up events as long as
GlobeSumm's test set (74 events, 897 documents of about 913 tokens), all 20 recipes and three
models, the processor seconds of one plan of everything, and how many times as long it takes to
plan every cell on its own (measured on every seventh), both in one run.
"""

import argparse
import sys
import time
from datetime import UTC, datetime, timedelta
from itertools import cycle
from random import Random

from baselines.grid.cells import cells
from baselines.grid.plan import plan_grid
from baselines.recipes import needs_model, recipes
from globesumm.config import Experiment, ModelRow
from globesumm.values import Document, Event

DOCUMENTS = 897
WORDS_A_DOCUMENT = 620
LANGUAGES = ("en", "fr", "bg", "sv", "it", "pt", "ru", "ar", "tr", "ko")
WORDS = {
    "bg": "кораб потъна през нощта край брега девет души липсват",
    "ru": "корабль затонул ночью у берега девять человек пропали",
    "ar": "غرقت السفينة ليلا قبالة الساحل وفقد تسعة أشخاص",
    "ko": "배가 밤에 해안 근처에서 침몰하여 아홉 명이 실종되었다",
}
LATIN = "ship sank at night off the coast nine people are missing"


def event(number: int, documents: int, draw: Random) -> Event:
    """One event of so many documents in several languages."""
    return Event(
        id=f"event {number}",
        description="",
        documents=tuple(
            document(place, language, draw)
            for place, language in zip(range(documents), cycle(LANGUAGES), strict=False)
        ),
    )


def document(place: int, language: str, draw: Random) -> Document:
    words = WORDS.get(language, LATIN).split()
    told = [draw.choice(words) for _ in range(WORDS_A_DOCUMENT)]
    sentences = [" ".join(told[at : at + 20]).capitalize() + "." for at in range(0, len(told), 20)]
    return Document(
        id=f"d{place}",
        text=" ".join(sentences),
        language=language,
        published=datetime(2023, 5, 1, tzinfo=UTC) + timedelta(hours=place),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=74)
    parser.add_argument("--models", type=int, default=3)
    parser.add_argument("--every", type=int, default=7, help="cells planned alone: every Nth (7)")
    options = parser.parse_args()
    draw = Random(0)
    documents, left = divmod(DOCUMENTS * options.events // 74, options.events)
    events = [event(n, documents + (n < left), draw) for n in range(options.events)]
    experiment = Experiment(
        recipes=tuple(str(recipe) for recipe in recipes() if needs_model(recipe)),
        models=tuple(ModelRow(name=f"model {n}") for n in range(options.models)),
    )
    started = time.process_time()
    whole = plan_grid(experiment, events)
    together = time.process_time() - started
    started = time.process_time()
    sample = cells(experiment)[:: options.every]
    alone = [plan_grid(experiment, events, [cell]) for cell in sample]
    apart = (time.process_time() - started) * len(whole.cells) / len(sample)
    if any(one.calls > whole.calls for one in alone):
        sys.exit("a cell makes more calls than the whole: the plan is wrong")
    print("| events | documents | cells | calls | if not shared | seconds | apart, times as long |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    print(
        f"| {whole.events} | {whole.documents} | {len(whole.cells)} | {whole.calls} "
        f"| {whole.requests} | {together:.1f} | {apart / together:.1f} |"
    )


if __name__ == "__main__":
    main()
