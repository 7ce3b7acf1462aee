"""A brief as headings, paragraphs and items: what every form of it is written from.

Whatever comes from reports, models or people is in spans of their own, marked as `outside`, so
that each form can keep it from acting.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from baselines.briefs.values import Brief, Claim, Correction, Line, Source
from baselines.citations import Standing
from baselines.ledger import Entry, Voice
from globesumm.report.texts import as_text, language_name, safe_link, when

SHOWN = 12
"""Common claims shown, and sentences that one report tells alone; the others are counted."""

BlockKind = Literal["title", "heading", "part", "text", "item", "sub"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A piece of a block; `outside` text is not ours, in `language` (empty: unknown).

    `link` is an http(s) address or nothing, `refs` are the numbers of sources it refers to.
    """

    text: str
    outside: bool = False
    language: str = ""
    direction: str = "ltr"
    strong: bool = False
    link: str = ""
    refs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A heading, a paragraph, or an item of a list (`sub`: of one below).

    `source` is the number of the source that it describes, 0 for none.
    """

    kind: BlockKind
    spans: tuple[Span, ...]
    source: int = 0

    @property
    def leading(self) -> Span:
        """The span whose direction is the block's."""
        return self.spans[0]


def blocks(brief: Brief) -> list[Block]:
    """The whole brief, in reading order."""
    return [
        *_head(brief),
        *_happened(brief),
        *_agree(brief),
        *_left_out(brief),
        *_conflicts(brief),
        *_turned(brief),
        *_corrected(brief),
        *_sources(brief),
        *_missing(brief),
    ]


def news(brief: Brief) -> list[Block]:
    """What a look brought: the new sources, the turns and the corrections that `brief` holds."""
    head = f" – version {brief.version}, {_count(len(brief.sources), 'new report')}"
    return [
        _block("title", _said(brief.title, ""), _own(head)),
        *(_block("item", *_who(one), _own(": "), _said(one.title, one.language))
          for one in brief.sources),
        *_turned(brief),
        *_corrected(brief),
    ]  # fmt: skip


def _head(brief: Brief) -> Iterator[Block]:
    yield _block("title", _said(brief.title, ""))
    if brief.asked and brief.asked != brief.title:
        yield _block("text", _own("Asked: "), _said(brief.asked, ""))
    languages = sorted({one.language for one in brief.sources})
    days = f", {when(brief.first)} to {when(brief.last)}" if brief.first else ""
    yield _block(
        "text",
        _own(
            f"{_count(len(brief.sources), 'report')} in {_count(len(languages), 'language')} "
            f"({', '.join(map(language_name, languages))}){days}."
        ),
    )
    yield _block(
        "text",
        _own(f"Summary in {language_name(brief.target)}, version {brief.version}, by "),
        _said(f"{brief.recipe} ({brief.model})", ""),
        _own(". Numbers in brackets are sources, listed below."),
    )


def _happened(brief: Brief) -> Iterator[Block]:
    yield _block("heading", _own("What happened"))
    if not brief.summary:
        yield _block("text", _own("No sentence with its sources is here; see what is missing."))
    for line in brief.summary:
        yield _block("item", *_line(line))


def _line(line: Line) -> Iterator[Span]:
    yield _said(line.text, line.language)
    if line.sources:
        yield _own(" ")
        yield _refs(line.sources)
        yield _own(f" {_voices(line.sources, line.languages)}")
    if line.standing is not Standing.SUPPORTED:
        mark = "no source found" if line.standing is Standing.UNSUPPORTED else "source not judged"
        yield _own(f" ({mark})", strong=True)
    if line.figures:
        yield _own("; not in the cited sentences: ")
        yield _said(", ".join(line.figures), line.language)


def _agree(brief: Brief) -> Iterator[Block]:
    yield _block("heading", _own("Where the sources agree"))
    agreed = [one for one in brief.common if not one.conflicts]
    if not agreed:
        yield _block("text", _own("Nothing was found that two reports say alike."))
    for number, claim in enumerate(agreed[:SHOWN], start=1):
        yield _block("item", _own(f"A{number}. "), *_claim(claim))
    if len(agreed) > SHOWN:
        yield _block("text", _own(f"And {_count(len(agreed) - SHOWN, 'further claim')}."))
    disputed = brief.common[len(agreed) :]
    if disputed:
        yield _block("text", _own("They speak of these too, and contradict each other in them:"))
    for claim in disputed:
        where = ", ".join(map(str, claim.conflicts))
        yield _block(
            "item", *_claim(claim), _own(f" – conflict{'s' * (len(claim.conflicts) > 1)} {where}")
        )


def _claim(claim: Claim) -> Iterator[Span]:
    yield _said(claim.text, claim.language)
    yield _own(" ")
    yield _refs(claim.sources)
    yield _own(f" {_voices(claim.sources, claim.languages)}")
    if claim.note:
        yield _own("; ")
        yield _said(claim.note, "")


def _left_out(brief: Brief) -> Iterator[Block]:
    yield _block("heading", _own("What each leaves out"))
    if not brief.silences:
        yield _block("text", _own("No report was found to lack or to add anything."))
    sources = {one.number: one for one in brief.sources}
    for silence in brief.silences:
        agreed = [place for place in silence.lacks if not brief.common[place - 1].conflicts]
        lacks = [f"A{place}" for place in agreed if place <= SHOWN]
        more = len(silence.lacks) - len(lacks)
        told = [_own(": lacks " + _listed(lacks, more))] if silence.lacks else []
        yield _block("item", *_who(sources[silence.source]), *told)
        for claim in silence.alone[:SHOWN]:
            yield _block("sub", _own("alone tells: "), _said(claim.text, claim.language))


def _listed(names: Sequence[str], more: int) -> str:
    rest = f"{_count(more, 'claim')} that {'is' if more == 1 else 'are'} not listed" if more else ""
    return " and ".join(filter(None, (", ".join(names), rest)))


def _conflicts(brief: Brief) -> Iterator[Block]:
    yield _block("heading", _own("Where they contradict each other"))
    if not brief.conflicts:
        yield _block("text", _own("No conflict was found."))
    numbers = {one.id: one.number for one in brief.sources}
    for entry in brief.conflicts:
        yield _block("part", _own(f"{entry.number}. "), _said(entry.differs or "they differ", ""))
        for voice in entry.voices:
            yield _block("item", *_voice(voice, numbers))
        yield from _handled(entry, brief.target)


def _voice(voice: Voice, numbers: dict[str, int]) -> Iterator[Span]:
    if voice.value is not None:
        yield _said(voice.value, "", strong=True)
        yield _own(", says ")
    yield _said(voice.outlet or voice.document, "")
    where = f", {voice.country}" if voice.country else ""
    yield _own(f" ({language_name(voice.language)}{where}, {when(voice.published)}) ")
    if voice.document in numbers:
        yield _refs((numbers[voice.document],))
    yield _own(": ")
    yield _said(voice.text, voice.language)


def _handled(entry: Entry, target: str) -> Iterator[Block]:
    if entry.cause is not None:
        cause = str(entry.cause)
    elif entry.proposed is not None:
        cause = f"not judged; the figures follow the time of the reports, as an {entry.proposed}"
    else:
        cause = "not judged"
    settled = "open" if entry.settled is None else f"settled in round {entry.settled}"
    final = entry.final
    yield _block("text", _own(f"Cause: {cause}. Arose in round {entry.arose}, {settled}."))
    spans = [_own(f"The summary: {final.treatment or 'not judged'}")]
    if final.note:
        spans += [_own("; "), _said(final.note, "")]
    for word in final.words:
        spans += [_own(" – "), _said(word, target)]
    yield _block("text", *spans)


def _turned(brief: Brief) -> Iterator[Block]:
    if not brief.turns:
        return
    yield _block("heading", _own("What became of conflicts since the first version"))
    for one in brief.turns:
        yield _block(
            "item",
            _own(f"Version {one.version}, {when(one.at)}: "),
            _said(one.about, ""),
            _own(f" {one.turn}" + (f" ({one.treatment})" if one.treatment else "")),
        )
        for news in one.news:
            yield _block("sub", _said(news, ""))


def _corrected(brief: Brief) -> Iterator[Block]:
    if not brief.corrections:
        return
    yield _block("heading", _own("Corrections: what earlier versions said"))
    for one in brief.corrections:
        yield _block("item", *_before(one))
        if one.now:
            yield _block(
                "sub",
                _own("now: "),
                _said(one.now, one.now_language or ""),
                _own(" – "),
                _said("; ".join(one.now_sources), ""),
            )
        if one.because:
            yield _block("sub", _own("after: "), _said("; ".join(one.because), ""))


def _before(one: Correction) -> Iterator[Span]:
    yield _own(f"Version {one.version} (round {one.round}), until {when(one.at)}, ")
    yield _own(f"{'said' if one.now else 'said, and no longer says'}: ")
    yield _said(one.before, one.language)
    if one.sources:
        yield _own(" – ")
        yield _said("; ".join(one.sources), "")


def _sources(brief: Brief) -> Iterator[Block]:
    yield _block("heading", _own("Sources"))
    for one in brief.sources:
        spans = [_own(f"{one.number}. "), *_who(one, number=False), _own(": ")]
        spans.append(_said(one.title, one.language, link=safe_link(one.url)))
        if one.share is not None:
            told = f"{100 * one.share:.1f} % of the summary" if one.sentences else "not cited"
            spans.append(_own(f" – {told}"))
        yield Block(kind="item", spans=tuple(spans), source=one.number)
        for note in one.notes:
            yield _block("sub", _own("note: "), _said(note, ""))
    shares = [
        f"{language_name(name)} {100 * share:.1f} % ({_count(count, 'report')})"
        for name, count, share in brief.shares
        if share is not None
    ]
    if shares:
        yield _block("text", _own(f"The summary by language of its sources: {', '.join(shares)}."))


def _missing(brief: Brief) -> Iterator[Block]:
    yield _block("heading", _own("Unscored or missing, and why"))
    if not brief.missing:
        yield _block("text", _own("Nothing that is known of."))
    for one in brief.missing:
        yield _block("item", _said(one.what, ""), _own(": "), _said(one.why, ""))


def _who(source: Source, *, number: bool = True) -> Iterator[Span]:
    if number:
        yield _refs((source.number,))
        yield _own(" ")
    yield _said(source.outlet, "")
    where = f", {source.country}" if source.country else ""
    yield _own(f" ({language_name(source.language)}{where}, {when(source.published)})")


def _voices(sources: Sequence[int], languages: Sequence[str]) -> str:
    told = ", ".join(map(language_name, languages))
    return f"{_count(len(sources), 'report')} in {told}" if len(sources) > 1 else f"in {told}"


def _count(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"


def _own(text: str, *, strong: bool = False) -> Span:
    return Span(text=text, strong=strong)


def _refs(numbers: Sequence[int]) -> Span:
    return Span(text=f"[{', '.join(map(str, numbers))}]", refs=tuple(numbers))


def _said(text: str, language: str, *, strong: bool = False, link: str = "") -> Span:
    """Outside text; where its language is not known its first strong letter gives the direction."""
    set_as = as_text(text, language)
    return Span(
        text=text,
        outside=True,
        language=set_as.language,
        direction=set_as.direction,
        strong=strong,
        link=link,
    )


def _block(kind: BlockKind, *spans: Span) -> Block:
    return Block(kind=kind, spans=tuple(_kept(spans)))


def _kept(spans: Iterable[Span]) -> Iterator[Span]:
    return (one for one in spans if one.text)
