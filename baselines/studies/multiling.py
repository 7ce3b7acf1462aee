"""Mixed-language events into English, against people, controls and systems of their time.

Six topics of ten news texts each, translated into seven languages; every text takes part in one
language that is drawn, so that an event is told in seven languages as GlobeSumm's events are.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from baselines.studies.draws import choice, shuffled
from baselines.studies.event_means import event_means, over_events, paired, table_of
from baselines.studies.multiling_data import DEVELOPED_ON, MultiLing, load
from baselines.studies.multiling_rows import OURS, Row, lines
from baselines.studies.page import Page, Section, plain_table
from baselines.summarize import summarize
from globesumm.progress import say, track
from globesumm.text.sentences import SPLITTER
from globesumm.text.words import count_words
from globesumm.values import Document, Event, Score
from metrics.base import Candidate
from metrics.rouge import Rouge
from metrics.scoring import candidates_of

TARGET = "en"
MAX_WORDS = 250
DRAWS = 5

_HOW = (
    "A topic's value is the mean over its summaries (of mixed texts one a draw, of random ones "
    "one a draw too, of the others one), the interval a 95 % percentile bootstrap over the topics; "
    "n of N counts topics.  The systems ID1 to ID10 were made in 2011 from the English texts "
    "alone; the rows 'all texts English' are given the same, the other rows get most texts in "
    "other languages only.  A person is held against one summary fewer than a system, which "
    "lowers the best-of value a little."
)


def run(data: Path | None, seed: int, size: int = DRAWS) -> Page:
    """Summarize, score and compare, with `size` draws of the languages.

    Raises UsageError if the data set is not in `data`.
    """
    pilot = load(data)
    events = {
        (topic, draw): event_of(pilot, topic, drawn(pilot, topic, seed, draw))
        for topic in pilot.topics
        for draw in range(size)
    }
    english = {topic: event_of(pilot, topic, _english(pilot, topic)) for topic in pilot.topics}
    rows = lines()
    candidates: dict[str, list[Candidate]] = {name: [] for name in rows}
    jobs = list(_jobs(rows, events, english, size))
    for name, event, draw in track(jobs, "summaries", len(jobs)):
        merge = rows[name].merge(draw)
        made = summarize(event, rows[name].recipe, target=TARGET, max_words=MAX_WORDS, merge=merge)
        candidates[name] += candidates_of(made, event)
    ours = list(candidates)
    candidates |= {_system_name(name): _system(pilot, name) for name in pilot.systems(TARGET)}
    candidates["people, each against the others"] = list(_people(pilot))
    say("scores ...")
    sections = []
    held: dict[str, dict[str, list[Score]]] = {}
    for references in ("max", "mean"):
        metric = Rouge(references=references)
        held[references] = {
            name: event_means(metric.score(found)) for name, found in candidates.items()
        }
        sections.append(_scores(references, metric, held[references], seed))
    sections.append(_comparison(held["mean"], seed))
    sections.append(_by_topic(held["mean"], pilot.topics))
    sections.append(_lengths({name: candidates[name] for name in ours}))
    return Page(
        title="MultiLing 2011: mixed-language events into English",
        settings=_settings(pilot, seed, rows, events),
        sections=tuple(sections),
    )


def drawn(pilot: MultiLing, topic: str, seed: int, draw: int) -> list[Document]:
    """Every document of `topic` in one language, each language at least once.

    The languages, in an order drawn by seed, topic and draw, go to the documents in an order
    drawn alike; documents beyond the number of languages take any.
    """
    key = ("multiling", seed, topic, draw)
    numbers = shuffled(pilot.numbers(topic), int, *key, "documents")
    languages = shuffled(pilot.languages, str, *key, "languages")
    chosen = []
    for place, number in enumerate(numbers):
        there = pilot.in_languages(topic, number)
        wanted = languages[place] if place < len(languages) else None
        if wanted not in there:
            wanted = choice(sorted(there), *key, number)
        chosen.append(there[wanted])
    return chosen


def event_of(pilot: MultiLing, topic: str, documents: Sequence[Document]) -> Event:
    """`documents` as an event with the human summaries in English."""
    return Event(
        id=f"M{topic}",
        description=f"MultiLing 2011, topic {topic}",
        documents=tuple(documents),
        references=tuple(pilot.references(topic, TARGET)),
        reference_language=TARGET,
    )


def _english(pilot: MultiLing, topic: str) -> list[Document]:
    texts = (pilot.in_languages(topic, number) for number in pilot.numbers(topic))
    return [there[TARGET] for there in texts if TARGET in there]


def _jobs(
    rows: Mapping[str, Row],
    events: Mapping[tuple[str, int], Event],
    english: Mapping[str, Event],
    size: int,
) -> Iterator[tuple[str, Event, int]]:
    """What is to be summarized; where neither texts nor row change with the draw, once."""
    for name, row in rows.items():
        if row.mixed:
            yield from ((name, event, draw) for (_, draw), event in events.items())
        else:
            draws = range(size if "random" in row.recipe else 1)
            yield from ((name, event, draw) for event in english.values() for draw in draws)


def _system_name(system: str) -> str:
    known = {"ID9": " (centroid baseline)", "ID10": " (saw the human summaries)"}
    return f"{system}{known.get(system, '')}, all texts English"


def _system(pilot: MultiLing, system: str) -> list[Candidate]:
    return [
        Candidate(
            id=f"M{topic}",
            text=pilot.submission(system, topic, TARGET) or "",
            language=TARGET,
            references=tuple(pilot.references(topic, TARGET)),
            event=f"M{topic}",
        )
        for topic in pilot.topics
    ]


def _people(pilot: MultiLing) -> Iterator[Candidate]:
    for topic in pilot.topics:
        texts = pilot.references(topic, TARGET)
        for place, text in enumerate(texts):
            yield Candidate(
                id=f"M{topic}/{place}",
                text=text,
                language=TARGET,
                references=tuple(texts[:place] + texts[place + 1 :]),
                event=f"M{topic}",
            )


def _scores(
    references: str,
    metric: Rouge,
    held: Mapping[str, Sequence[Score]],
    seed: int,
) -> Section:
    return Section(
        title=f"ROUGE F1 x 100, {'best' if references == 'max' else 'mean'} of a topic's people",
        about=_HOW if references == "max" else "As above, with the mean of the people's summaries.",
        table=table_of(over_events(held, seed), metric.columns),
    )


def _comparison(held: Mapping[str, Sequence[Score]], seed: int) -> Section:
    mixed = [name for name in held if name.startswith("crs.none") and "all texts" not in name]
    english = [name for name in held if name.startswith("crs.none") and "all texts" in name]
    rivals = [(mixed[0], name) for name in mixed[1:]] + [(english[0], n) for n in english[1:]]
    rivals += [(english[0], name) for name in held if name.startswith("ID9")]
    topics = len({score.event for score in next(iter(held.values()))})
    return Section(
        title="Differences over the same topics, mean of a topic's people",
        about=(
            "Left minus right, x 100, over topic means; p is the exact two-sided sign-flip "
            f"permutation test, whose smallest possible value with {topics} topics is "
            f"{2 / 2**topics:.4f}, and is not corrected for the number of rows."
        ),
        table=paired(held, rivals, ("rouge1", "rouge2", "rougeL"), seed),
    )


def _by_topic(held: Mapping[str, Sequence[Score]], topics: Sequence[str]) -> Section:
    names = [
        name for name in held if name.startswith(("crs.", "people", "ID9")) and "random" not in name
    ]
    values = {
        (name, score.event, score.metric): score.value for name in names for score in held[name]
    }

    def cell(name: str, topic: str, metric: str) -> str:
        value = values.get((name, f"M{topic}", metric))
        return "–" if value is None else f"{100 * value:.2f}"

    rows = [
        (
            f"M{topic}{' (developed on)' if topic in DEVELOPED_ON else ''}",
            *(f"{cell(name, topic, 'rouge1')} / {cell(name, topic, 'rouge2')}" for name in names),
        )
        for topic in topics
    ]
    return Section(
        title="By topic: rouge1 / rouge2, mean of a topic's people",
        about="The extractive merge was developed on the marked topics (on mixed texts of its "
        "own drawing); the others were held out.",
        table=plain_table(("topic", *names), rows),
    )


def _lengths(candidates: Mapping[str, Sequence[Candidate]]) -> Section:
    rows = []
    for name, found in candidates.items():
        words = [count_words(one.text, one.language) for one in found]
        inside = sum(
            count_words(sentence.text, sentence.language)
            for one in found
            for sentence in one.sentences or ()
            if sentence.language == TARGET
        )
        share = f"{100 * inside / sum(words):.0f} %" if sum(words) else "–"
        rows.append((name, f"{sum(words) / len(words):.0f}", share, str(len(found))))
    return Section(
        title="What the summaries are made of",
        about="An extractive summary does not translate: what is not in English scores nothing.",
        table=plain_table(("recipe", "words", "words in English", "summaries"), rows),
    )


def _settings(
    pilot: MultiLing,
    seed: int,
    rows: Mapping[str, Row],
    events: Mapping[tuple[str, int], Event],
) -> tuple[tuple[str, str], ...]:
    english = [sum(d.language == TARGET for d in event.documents) for event in events.values()]
    return (
        (
            "data",
            (
                f"{len(pilot.texts)} texts, {len(pilot.rejected)} refused; {len(pilot.topics)}"
                f" topics; languages {' '.join(pilot.languages)}"
            ),
        ),
        (
            "seed",
            (
                f"{seed}; {len(events) // len(pilot.topics)} draws of the languages a topic, "
                "each language at least once"
            ),
        ),
        (
            "English texts in a mixed event",
            f"{min(english)} to {max(english)}, mean {sum(english) / len(english):.2f}",
        ),
        ("target and length", f"{TARGET}, max_words {MAX_WORDS}"),
        ("model", rows[OURS].merge(0)[1]),
        ("sentences", SPLITTER),
    )
