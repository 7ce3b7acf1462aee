"""A study of facts in, one page out: every key fact, matched or not, every fact, supported or not.

Everything that comes from sources, summaries or models is text here; the template escapes it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from globesumm.errors import UsageError
from globesumm.languages import UNKNOWN
from globesumm.records import read_own_records, write_text
from globesumm.report.page import environment
from globesumm.report.texts import Text, as_text, language_name
from globesumm.values import KeyFact
from metrics.base import Measured, printable
from metrics.facts.formula import COLUMNS
from metrics.facts.pipeline import verdicts
from metrics.facts.records import (
    Candidate,
    Matched,
    SourceFacts,
    SummaryFacts,
    Supported,
    read_candidates,
)
from metrics.facts.sources import Source
from metrics.facts.verdicts import WARNED, Verdicts

T = TypeVar("T")

Key = tuple[str, str]
"""(system, id of the source)."""

WORDS = {True: "yes", False: "no", None: "open"}


@dataclass(frozen=True, slots=True)
class Shown:
    """One fact: `verdict` is yes, no or open; `where` says which sentences or documents have it.

    `evidence` is what the judge gave, or of a key fact the documents that it was drawn from.
    """

    said: Text
    verdict: str
    where: str
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Share:
    """How much of a summary is in a document, or in the documents of a language, as "k of n".

    `key_facts` are those drawn from there that the summary states, `facts` those of the summary
    that are supported there.
    """

    name: str
    language: str
    key_facts: str
    facts: str


@dataclass(frozen=True, slots=True)
class Account:
    """One summary with all that was judged of it; `sentences` with whether a key fact is there."""

    source: str
    system: str
    scores: tuple[str, ...]
    sentences: tuple[tuple[Text, bool], ...]
    key_facts: tuple[Shown, ...]
    facts: tuple[Shown, ...]
    discarded: tuple[Text, ...]
    documents: tuple[Share, ...]
    languages: tuple[Share, ...]
    notes: tuple[str, ...]


def write_facts_page(
    folder: Path,
    out: Path,
    sources: Iterable[Source] = (),
    *,
    systems: Collection[str] = (),
    ids: Collection[str] = (),
) -> int:
    """Write the page of a study's folder to `out`; returns how many summaries it shows.

    `sources` give the languages of documents; `systems` and `ids` narrow what is shown (empty:
    all).  The page asks nothing of the network and holds no script.  Raises `UsageError` where
    there is nothing to show.
    """
    matches = {(o.system, o.id): o for o in _own(folder / "matches.jsonl", Matched)}
    support = {(o.system, o.id): o for o in _own(folder / "support.jsonl", Supported)}
    if not matches and not support:
        raise UsageError(
            f"{folder} holds neither matches nor support: globesumm facts match and "
            "globesumm facts verify write them"
        )
    known = {source.id: source for source in sources}
    # The runs of a study share what lies beside them.
    shared = folder if (folder / "key_facts.jsonl").exists() else folder.parent
    key_facts = {one.source: one for one in _own(shared / "key_facts.jsonl", SourceFacts)}
    facts = {(o.system, o.id): o for o in _own(shared / "summary_facts.jsonl", SummaryFacts)}
    languages = _languages(shared / "summaries.jsonl")
    accounts = []
    for verdict in verdicts(matches.values(), support.values()):
        key = (verdict.system or "", verdict.id)
        if (systems and key[0] not in systems) or (ids and key[1] not in ids):
            continue
        match, own = matches.get(key), facts.get(key)
        accounts.append(
            _account(
                verdict,
                _Judged.of(match, support.get(key), key_facts.get(verdict.id)),
                match.sentences if match else (),
                own.discarded if own else (),
                source=known.get(verdict.id),
                language=languages.get(key, UNKNOWN),
                notes=support[key].notes if key in support else (),
            )
        )
    if not accounts:
        raise UsageError(
            f"{folder} holds no summary by such a system of such a source: "
            "leave out --system or --id to see which it holds"
        )
    html = (
        environment()
        .get_template("facts.html.j2")
        .render(accounts=accounts, names=[column.name for column in COLUMNS])
    )
    write_text(out, printable(html)[0])
    return len(accounts)


def _own(path: Path, kind: type[T]) -> list[T]:
    return list(read_own_records(path, kind)) if path.exists() else []


def _languages(path: Path) -> dict[Key, str]:
    found = read_candidates(path) if path.exists() else ()
    return {(o.system, o.id): o.language for o in found if isinstance(o, Candidate)}


@dataclass(frozen=True, slots=True)
class _Judged:
    """The verdicts of one summary, in order: key facts with sentences, facts with documents."""

    matched: Sequence[tuple[str, tuple[int, ...] | None]]
    supported: Sequence[tuple[str, bool | None, Mapping[str, bool | None], str]]
    drawn: Mapping[str, KeyFact]

    @classmethod
    def of(
        cls, match: Matched | None, support: Supported | None, facts: SourceFacts | None
    ) -> "_Judged":
        matched: list[tuple[str, tuple[int, ...] | None]] = []
        if match:
            said = match.matches or (None,) * len(match.key_facts)
            matched = list(zip(match.key_facts, said, strict=True))
        supported: list[tuple[str, bool | None, Mapping[str, bool | None], str]] = []
        if support:
            for place, text in enumerate(support.facts):
                supported.append(
                    (
                        text,
                        support.supported[place] if support.supported else None,
                        support.by_part[place] if place < len(support.by_part) else {},
                        (support.evidence[place] or "") if place < len(support.evidence) else "",
                    )
                )
        drawn = {fact.text: fact for fact in (facts.facts or ())} if facts else {}
        return cls(matched=matched, supported=supported, drawn=drawn)

    def share(self, name: str, language: str, documents: Collection[str]) -> Share:
        """What some documents have of the summary; what was not judged does not count."""
        stated = [
            bool(numbers)
            for text, numbers in self.matched
            if numbers is not None
            and text in self.drawn
            and not set(documents).isdisjoint(self.drawn[text].documents)
        ]
        found = []
        for _, _, by_part, _ in self.supported:
            said = [by_part.get(one) for one in documents]
            if True in said or None not in said:
                found.append(True in said)
        return Share(
            name=name,
            language=language,
            key_facts=f"{sum(stated)} of {len(stated)}",
            facts=f"{sum(found)} of {len(found)}",
        )


def _account(
    verdict: Verdicts,
    judged: _Judged,
    sentences: Sequence[str],
    discarded: Sequence[str],
    *,
    source: Source | None,
    language: str,
    notes: Sequence[str],
) -> Account:
    measured = verdict.measured()
    stating = {number for _, numbers in judged.matched for number in numbers or ()}
    languages = {part.id: part.language for part in source.parts} if source else {}
    documents = list(languages) or list(
        dict.fromkeys(one for _, _, by_part, _ in judged.supported for one in by_part)
    )
    spoken = dict.fromkeys(languages.values())
    return Account(
        source=verdict.id,
        system=verdict.system or "",
        scores=tuple(
            "–" if one.value is None else f"{100 * one.value:.1f}" for one in measured.values()
        ),
        sentences=tuple(
            (as_text(text, language), number in stating) for number, text in enumerate(sentences, 1)
        ),
        key_facts=tuple(_key_fact(text, ns, judged.drawn.get(text)) for text, ns in judged.matched),
        facts=tuple(
            Shown(
                said=as_text(text, language),
                verdict=WORDS[said],
                where=", ".join(name for name, yes in by_part.items() if yes),
                evidence=evidence,
            )
            for text, said, by_part, evidence in judged.supported
        ),
        discarded=tuple(as_text(text, language) for text in discarded),
        documents=tuple(
            judged.share(one, language_name(languages.get(one, UNKNOWN)), [one])
            for one in documents
        ),
        languages=tuple(
            judged.share(
                language_name(code), code, [one for one in documents if languages[one] == code]
            )
            for code in spoken
        ),
        notes=(*_reasons(verdict, measured), *notes),
    )


def _reasons(verdict: Verdicts, measured: Mapping[str, Measured]) -> Iterable[str]:
    """Why a score is missing, and once for all scores what in the texts speaks to a model."""
    warned = (verdict.notes or {}).get(WARNED)
    if warned:
        yield warned
    for name, one in measured.items():
        if one.note and one.note != warned:
            yield f"{name}: {one.note.removesuffix(f'; {warned}')}"


def _key_fact(text: str, numbers: tuple[int, ...] | None, fact: KeyFact | None) -> Shown:
    said = as_text(text, fact.language if fact else UNKNOWN)
    return Shown(
        said=said,
        verdict=WORDS[None if numbers is None else bool(numbers)],
        where=", ".join(map(str, numbers or ())),
        evidence=", ".join(fact.documents) if fact else "",
    )
