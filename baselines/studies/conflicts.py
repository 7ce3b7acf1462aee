"""How often the conflict decision is right about two sentences, where the truth is known.

The decision is the one that the extractive merge applies inside a cluster.  It was developed on
some of the topics, with alterations of its own; results on the others are shown apart.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from baselines.extractive.encoders import Remembering, choose
from baselines.extractive.pairs import Remark, Verdict, judge
from baselines.studies.alterations import KINDS
from baselines.studies.draws import shuffled
from baselines.studies.multiling_data import DEVELOPED_ON, load
from baselines.studies.page import Page, Section, plain_table
from baselines.studies.sentence_pairs import Pair, across_languages, in_one_language
from baselines.studies.wilson import share
from globesumm.progress import track
from globesumm.text.sentences import SPLITTER
from metrics.tables import Table

PAIRS = 200
DOCUMENTS = 24
SHOWN = 6

NAMED = {
    "number": frozenset({"number", "ordinal", "percent", "money", "measure"}),
    "date": frozenset({"date", "weekday"}),
    "negation": frozenset({"negation"}),
}
"""Kinds of difference by which a decision names an alteration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    pair: Pair
    verdict: Verdict

    @property
    def right(self) -> bool:
        return self.verdict.conflict == (self.pair.kind is not None)

    @property
    def named(self) -> bool:
        """Whether an altered detail was found as the kind of detail that it is."""
        return self.verdict.conflict and any(
            str(difference.kind) in NAMED[self.pair.kind or "number"]
            for difference in self.verdict.differences
        )


def run(data: Path | None, seed: int, size: int = PAIRS) -> Page:
    """Make `size` altered and `size` other pairs, twice, and judge them.

    Raises UsageError if the data set is not in `data`.
    """
    pilot = load(data)
    encoder = Remembering(choose())
    groups = {
        "In one language": in_one_language(pilot, seed, size),
        "Across languages": across_languages(pilot, seed, size, encoder, DOCUMENTS),
    }
    judged: dict[str, list[_Judged]] = {}
    for name, pairs in groups.items():
        judged[name] = [
            _Judged(pair=pair, verdict=_judge(pair, encoder))
            for pair in track(pairs, name, len(pairs))
        ]
    sections = [_overall(judged)]
    for name, found in judged.items():
        sections.append(_section(f"{name}, by kind", _by_kind(found)))
        sections.append(_section(f"{name}, by languages", _by_languages(found)))
        sections.append(_errors(name, found, seed))
    return Page(
        title="Conflict decision on altered and unaltered pairs of sentences",
        settings=(
            (
                "data",
                (
                    f"{len(pilot.texts)} texts of MultiLing 2011, {len(pilot.rejected)} "
                    f"refused; across languages from {DOCUMENTS} texts drawn by the seed"
                ),
            ),
            ("seed", str(seed)),
            ("encoder", f"{encoder.name}, {encoder.floors}"),
            ("sentences", SPLITTER),
        ),
        sections=tuple(sections),
    )


def _judge(pair: Pair, encoder: Remembering) -> Verdict:
    left = Remark(text=pair.left, language=pair.left_language, published=pair.published)
    right = Remark(text=pair.right, language=pair.right_language, published=pair.published)
    return judge(left, right, encoder)


def _held_out(pair: Pair) -> bool:
    return pair.id[1:4] not in DEVELOPED_ON


def _figures(name: str, found: Sequence[_Judged]) -> tuple[str, ...]:
    altered = [one for one in found if one.pair.kind]
    others = [one for one in found if not one.pair.kind]
    hits = sum(one.verdict.conflict for one in altered)
    false = sum(one.verdict.conflict for one in others)
    f1 = f"{2 * hits / (hits + false + len(altered)):.2f}" if altered else "–"
    return (
        name,
        f"{len(altered)} + {len(others)}",
        share(hits, hits + false),
        share(hits, len(altered)),
        f1,
        share(false, len(others)),
        share(sum(one.named for one in altered), len(altered)),
    )


def _overall(judged: Mapping[str, Sequence[_Judged]]) -> Section:
    rows = []
    for name, found in judged.items():
        held_out = [one for one in found if _held_out(one.pair)]
        rows += [_figures(name, found), _figures(f"{name}, held-out topics", held_out)]
    return Section(
        title="Precision and recall",
        about="An altered pair called a conflict is right, an unaltered one is wrong; there are "
        "as many of the one as of the other (fewer where the texts yield no more), so "
        "precision holds for that mixture alone.  Named: the altered detail was found as its "
        "own kind.  Held out are the topics on which neither the decision nor its word lists "
        "were developed.  95 % Wilson intervals.",
        table=plain_table(
            (
                "pairs",
                "altered + unaltered",
                "precision",
                "recall",
                "F1",
                "false alarms",
                "altered and named",
            ),
            rows,
        ),
    )


def _section(title: str, table: Table) -> Section:
    return Section(
        title=title,
        about="Altered pairs: share called a conflict, and why the others were not.  Unaltered "
        "pairs: share called a conflict all the same.",
        table=table,
    )


def _by_kind(found: Sequence[_Judged]) -> Table:
    rows = []
    for kind in (*KINDS, None):
        of_kind = [one for one in found if one.pair.kind == kind]
        rows.append(_row(kind or "unaltered", of_kind))
        rules = Counter(one.pair.altered.rule for one in of_kind if one.pair.altered)
        if len(rules) > 1:
            rows += [
                _row(
                    f"… {rule}",
                    [o for o in of_kind if o.pair.altered and o.pair.altered.rule == rule],
                )
                for rule in sorted(rules)
            ]
    return plain_table(("what", "called a conflict", "not called one because"), rows)


def _row(name: str, found: Sequence[_Judged]) -> tuple[str, str, str]:
    reasons = Counter(one.verdict.reason for one in found if one.verdict.reason)
    told = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
    return name, share(sum(one.verdict.conflict for one in found), len(found)), told or "–"


def _by_languages(found: Sequence[_Judged]) -> Table:
    rows = []
    for languages in sorted({one.pair.languages for one in found}):
        here = [one for one in found if one.pair.languages == languages]
        cells = []
        for test in (*map(_is_kind, KINDS), _is_altered, _is_kind(None)):
            these = [one for one in here if test(one)]
            hits = sum(one.verdict.conflict for one in these)
            cells.append(
                f"{hits}/{len(these)}" if test is not _is_altered else share(hits, len(these))
            )
        rows.append((languages, *cells))
    return plain_table(("languages", *KINDS, "all altered", "unaltered"), rows)


def _is_kind(kind: str | None) -> Callable[[_Judged], bool]:
    return lambda one: one.pair.kind == kind


def _is_altered(one: _Judged) -> bool:
    return one.pair.kind is not None


def _errors(name: str, found: Sequence[_Judged], seed: int) -> Section:
    rows = []
    for what, wrong in (("missed", True), ("false alarm", False)):
        these = [one for one in found if not one.right and bool(one.pair.kind) is wrong]
        some = shuffled(these, lambda one: (one.pair.id, one.pair.kind), seed)[:SHOWN]
        rows += [(f"{what} ({len(these)} in all)", *_told(one)) for one in some]
    return Section(
        title=f"{name}: errors, some drawn by the seed",
        about="What was altered, or what the decision took for a difference.",
        table=plain_table(("error", "where", "detail", "decision"), rows),
    )


def _told(one: _Judged) -> Iterator[str]:
    altered = one.pair.altered
    yield one.pair.id
    yield f"{altered.rule}: {altered.before} → {altered.after}" if altered else "translation"
    differences = "; ".join(str(found) for found in one.verdict.differences)
    yield f"{differences or one.verdict.reason} (cosine {one.verdict.cosine:.3f})"
