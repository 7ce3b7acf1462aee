"""People's highlights as released with the perspective paper: its table 4 and figure 3b again.

Four people highlighted key points in documents and in summaries by six methods, and said which
are missing on the other side.  Ten texts were highlighted by two of them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from annotation.labels.agreement.chance import by_chance
from annotation.labels.agreement.overlap import SHARED, Overlaps, overlap, overlaps
from annotation.labels.results.key_points import COUNTS, Points
from baselines.studies.page import Page, Section, plain_table
from baselines.studies.places import locate
from globesumm.errors import DataError
from globesumm.records import from_json, from_plain
from metrics.aggregate import interval, mean

WHAT = "the released annotations of the perspective paper"
LABELS, TASKS = (
    Path("data/human_annotations/summary_annotations"),
    Path("annotation_interface/summary_annotation/data"),
)

PRINTED = {"documents": (0.672, 0.262, 0.235, 0.322), "summaries": (0.918, 0.173, 0.650, 0.380)}
"""Table 4: R and its deviation, and those by chance."""

STATED = {
    "baseline": ".347, .642",
    "baseline-reranking": ".410, .673",
    "dpo-reranking": ".437, .724",
}
"""Coverage and faithfulness by people, as section 5.2 states them."""

DRAWS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Highlights:
    """One person's work on one text: excerpts of the document and of each method's summary.

    `points` is what they said of each summary.  `topic` names the text for both of two people.
    """

    topic: tuple[str, str]
    document: str
    summaries: Mapping[str, str]
    excerpts: tuple[str, ...]
    told: Mapping[str, tuple[str, ...]]
    points: Mapping[str, Points]


def load(data: Path | None) -> list[list[Highlights]]:
    """Each person's texts.

    Raises `UsageError` where the folder is not there, `DataError` where its files have another
    form.
    """
    folder = locate(data, ("",), _is_it, WHAT)
    people = []
    for path in sorted((folder / LABELS).glob("name=annotator-*.json")):
        number = path.stem.rpartition("-")[2]
        given, said = _read(folder / TASKS / f"data-annotator={number}.json"), _read(path)
        try:
            people.append([_of(task, one) for task, one in zip(given, said, strict=True)])
        except (DataError, KeyError, TypeError, ValueError) as error:
            told = f"{type(error).__name__}: {error}"
            raise DataError(
                f"{path}: not in the form of the released annotations ({told}): take the file anew"
            ) from error
    return people


def _is_it(folder: Path) -> bool:
    return (folder / LABELS).is_dir() and (folder / TASKS).is_dir()


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        return from_json(list[dict[str, Any]], path.read_bytes(), str(path))
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from error


def _of(task: Mapping[str, Any], one: Mapping[str, Any]) -> Highlights:
    told = {
        name.removeprefix("highlight_summary_"): from_plain(tuple[str, ...], held, name)
        for name, held in one.items()
        if name.startswith("highlight_summary_")
    }
    summaries = from_plain(dict[str, str], task["summaries"], "summaries")
    if unknown := sorted(set(told) - set(summaries)):
        raise KeyError(unknown[0])
    return Highlights(
        topic=(str(task["topic"]), str(task["stance"])),
        document=str(task["document"]),
        summaries=summaries,
        excerpts=tuple(
            from_plain(str, span["label"], "highlight_document")
            for label in one["highlight_document"]
            for held in label
            for span in held
        ),
        told=told,
        points={name: _points(name, one) for name in told},
    )


def _points(method: str, one: Mapping[str, Any]) -> Points:
    """The boxes tick what is missing: in the document and not in the summary, and vice versa."""
    omitted, made_up = (
        [
            said
            for name, said in one.items()
            if re.fullmatch(rf"{kind}_{re.escape(method)}_\d+", name)
        ]
        for kind in ("in_doc_nin_summary", "nin_doc_in_summary")
    )
    return Points(
        included=omitted.count(False),
        omitted=omitted.count(True),
        told=made_up.count(False),
        hallucinated=made_up.count(True),
    )


def run(data: Path | None, seed: int) -> Page:
    """The overlap of two people's highlights, and human coverage and faithfulness by method."""
    people = load(data)
    twice = [
        (a, b)
        for one, other in combinations(people, 2)
        for a in one
        for b in other
        if a.topic == b.topic
    ]
    every = [one for mine in people for one in mine]
    return Page(
        title="Highlights of the perspective paper",
        settings=(
            ("people", f"{len(people)}, with {', '.join(str(len(one)) for one in people)} texts"),
            ("texts of two people", str(len(twice))),
            ("by chance", f"{DRAWS} pairs of random highlights a text, seed {seed}"),
        ),
        sections=(_overlap(twice, every, seed), _methods(every, seed)),
    )


def _overlap(
    twice: Sequence[tuple[Highlights, Highlights]], every: Sequence[Highlights], seed: int
) -> Section:
    rows = []
    for shared in SHARED:
        documents = overlaps([overlap(a.excerpts, b.excerpts, shared) for a, b in twice])
        summaries = overlaps(
            [
                overlap(a.told[name], b.told[name], shared)
                for a, b in twice
                for name in a.told
                if name in b.told
            ]
        )
        chance = {
            "documents": by_chance(
                [one.document for one in every],
                [one.excerpts for one in every],
                draws=DRAWS, seed=seed, shared=shared,
            ),
            "summaries": by_chance(
                [one.summaries[name] for one in every for name in one.told],
                [held for one in every for held in one.told.values()],
                draws=DRAWS, seed=seed, shared=shared,
            ),
        }  # fmt: skip
        for where, found in (("documents", documents), ("summaries", summaries)):
            printed = PRINTED[where]
            rows.append(
                (
                    where,
                    shared,
                    _told(found),
                    f"{printed[0]:.3f} ± {printed[1]:.3f}",
                    str(found.n),
                    _told(chance[where]),
                    f"{printed[2]:.3f} ± {printed[3]:.3f}",
                )
            )
    return Section(
        title="Overlap R of two people (table 4)",
        about="By what a common subsequence is made of, beside what the paper prints.",
        table=plain_table(
            ("in", "common", "R", "printed", "n", "by chance", "printed"), sorted(rows)
        ),
    )


def _told(one: Overlaps) -> str:
    return "–" if one.mean is None else f"{one.mean:.3f} ± {one.deviation:.3f}"


def _methods(every: Sequence[Highlights], seed: int) -> Section:
    rows = []
    for method in sorted({name for one in every for name in one.points}):
        said = [one.points[method] for one in every if method in one.points]
        mine = [one for one in said if one.coverage is not None]
        cells = []
        for held in ([p.coverage for p in mine], [p.faithfulness for p in mine]):
            known = [one for one in held if one is not None]
            cells.append(_share(known, len(said), seed))
        counts = [mean([float(getattr(p, name)) for p in mine]) for name in COUNTS]
        # A trained model's name has a digest in the middle.
        printed = STATED.get(re.sub(r"-[0-9a-f]{16}", "", method), "–")
        rows.append(
            (method, *cells, printed, *("–" if one is None else f"{one:.3f}" for one in counts))
        )
    return Section(
        title="Coverage and faithfulness by method (figure 3b)",
        about=(
            "Means over texts and people with 95 % bootstrap intervals, without texts in whose "
            "document nobody saw a key point; printed: what section 5.2 says of three methods."
        ),
        table=plain_table(("method", "coverage", "faithfulness", "printed", *COUNTS), rows),
    )


def _share(known: Sequence[float], expected: int, seed: int) -> str:
    average = mean(known)
    if average is None:
        return f"– (0/{expected})"
    low, high = interval(known, seed=seed)
    bounds = "" if low is None or high is None else f" [{low:.3f}, {high:.3f}]"
    return f"{average:.3f}{bounds} ({len(known)}/{expected})"
