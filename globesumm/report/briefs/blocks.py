"""A brief as headings, paragraphs and items: what every form of it is written from."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from baselines.briefs.values import Brief, Claim, Correction, Line, Source
from baselines.citations import Standing
from baselines.ledger import Entry, Voice
from globesumm.finite import counted
from globesumm.report.briefs.spans import Block, Span, block, own, refs, said
from globesumm.report.texts import language_name, safe_link, when

SHOWN = 12
"""Common claims shown, and sentences that one report tells alone; the others are counted."""


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
    head = f" – version {brief.version}, {counted(len(brief.sources), 'new report')}"
    return [
        block("title", said(brief.title, ""), own(head)),
        *(block("item", *_who(one), own(": "), said(one.title, one.language))
          for one in brief.sources),
        *_turned(brief),
        *_corrected(brief),
    ]  # fmt: skip


def _head(brief: Brief) -> Iterator[Block]:
    yield block("title", said(brief.title, ""))
    if brief.asked and brief.asked != brief.title:
        yield block("text", own("Asked: "), said(brief.asked, ""))
    languages = sorted({one.language for one in brief.sources})
    days = f", {when(brief.first)} to {when(brief.last)}" if brief.first else ""
    yield block(
        "text",
        own(
            f"{counted(len(brief.sources), 'report')} in {counted(len(languages), 'language')} "
            f"({', '.join(map(language_name, languages))}){days}."
        ),
    )
    yield block(
        "text",
        own(f"Summary in {language_name(brief.target)}, version {brief.version}, by "),
        said(f"{brief.recipe} ({brief.model})", ""),
        own(". Numbers in brackets are sources, listed below."),
    )


def _happened(brief: Brief) -> Iterator[Block]:
    yield block("heading", own("What happened"))
    if not brief.summary:
        yield block("text", own("No sentence with its sources is here; see what is missing."))
    for line in brief.summary:
        yield block("item", *_line(line))


def _line(line: Line) -> Iterator[Span]:
    yield said(line.text, line.language)
    if line.sources:
        yield own(" ")
        yield refs(line.sources)
        yield own(f" {_voices(line.sources, line.languages)}")
    if line.standing is not Standing.SUPPORTED:
        mark = "no source found" if line.standing is Standing.UNSUPPORTED else "source not judged"
        yield own(f" ({mark})", strong=True)
    if line.figures:
        yield own("; not in the cited sentences: ")
        yield said(", ".join(line.figures), line.language)


def _agree(brief: Brief) -> Iterator[Block]:
    yield block("heading", own("Where the sources agree"))
    agreed = [one for one in brief.common if not one.conflicts]
    if not agreed:
        yield block("text", own("Nothing was found that two reports say alike."))
    for number, claim in enumerate(agreed[:SHOWN], start=1):
        yield block("item", own(f"A{number}. "), *_claim(claim))
    if len(agreed) > SHOWN:
        yield block("text", own(f"And {counted(len(agreed) - SHOWN, 'further claim')}."))
    disputed = brief.common[len(agreed) :]
    if disputed:
        yield block("text", own("They speak of these too, and contradict each other in them:"))
    for claim in disputed:
        where = ", ".join(map(str, claim.conflicts))
        yield block(
            "item", *_claim(claim), own(f" – conflict{'s' * (len(claim.conflicts) > 1)} {where}")
        )


def _claim(claim: Claim) -> Iterator[Span]:
    yield said(claim.text, claim.language)
    yield own(" ")
    yield refs(claim.sources)
    yield own(f" {_voices(claim.sources, claim.languages)}")
    if claim.note:
        yield own("; ")
        yield said(claim.note, "")


def _left_out(brief: Brief) -> Iterator[Block]:
    yield block("heading", own("What each leaves out"))
    if not brief.silences:
        yield block("text", own("No report was found to lack or to add anything."))
    sources = {one.number: one for one in brief.sources}
    for silence in brief.silences:
        agreed = [place for place in silence.lacks if not brief.common[place - 1].conflicts]
        lacks = [f"A{place}" for place in agreed if place <= SHOWN]
        more = len(silence.lacks) - len(lacks)
        told = [own(": lacks " + _listed(lacks, more))] if silence.lacks else []
        yield block("item", *_who(sources[silence.source]), *told)
        for claim in silence.alone[:SHOWN]:
            copies = [str(one) for one in claim.sources if one != silence.source]
            told_by = f"alone, with its copies [{', '.join(copies)}]," if copies else "alone"
            yield block("sub", own(f"{told_by} tells: "), said(claim.text, claim.language))


def _listed(names: Sequence[str], more: int) -> str:
    rest = (
        f"{counted(more, 'claim')} that {'is' if more == 1 else 'are'} not listed" if more else ""
    )
    return " and ".join(filter(None, (", ".join(names), rest)))


def _conflicts(brief: Brief) -> Iterator[Block]:
    yield block("heading", own("Where they contradict each other"))
    if not brief.conflicts:
        yield block("text", own("No conflict was found."))
    numbers = {one.id: one.number for one in brief.sources}
    for entry in brief.conflicts:
        yield block("part", own(f"{entry.number}. "), said(entry.differs or "they differ", ""))
        for voice in entry.voices:
            yield block("item", *_voice(voice, numbers))
        yield from _handled(entry, brief.target)


def _voice(voice: Voice, numbers: dict[str, int]) -> Iterator[Span]:
    if voice.value is not None:
        yield said(voice.value, "", strong=True)
        yield own(", says ")
    outlet = voice.outlet or voice.document
    yield from _report(outlet, voice.language, voice.country, voice.published)
    if voice.document in numbers:
        yield own(" ")
        yield refs((numbers[voice.document],))
    yield own(": ")
    yield said(voice.text, voice.language)


def _handled(entry: Entry, target: str) -> Iterator[Block]:
    if entry.cause is not None:
        cause = str(entry.cause)
    elif entry.proposed is not None:
        cause = f"not judged; the figures follow the time of the reports, as an {entry.proposed}"
    else:
        cause = "not judged"
    settled = "open" if entry.settled is None else f"settled in round {entry.settled}"
    final = entry.final
    yield block("text", own(f"Cause: {cause}. Arose in round {entry.arose}, {settled}."))
    spans = [own(f"The summary: {final.treatment or 'not judged'}")]
    if final.note:
        spans += [own("; "), said(final.note, "")]
    for word in final.words:
        spans += [own(" – "), said(word, target)]
    yield block("text", *spans)


def _turned(brief: Brief) -> Iterator[Block]:
    if not brief.turns:
        return
    yield block("heading", own("What became of conflicts since the first version"))
    for one in brief.turns:
        yield block(
            "item",
            own(f"Version {one.version}, {when(one.at)}: "),
            said(one.about, ""),
            own(f" {one.turn}" + (f" ({one.treatment})" if one.treatment else "")),
        )
        for news in one.news:
            yield block("sub", said(news, ""))


def _corrected(brief: Brief) -> Iterator[Block]:
    if not brief.corrections:
        return
    yield block("heading", own("Corrections: what earlier versions said"))
    for one in brief.corrections:
        yield block("item", *_before(one))
        if one.now:
            yield block(
                "sub",
                own("now: "),
                said(one.now, one.now_language or ""),
                own(" – "),
                said("; ".join(one.now_sources), ""),
            )
        if one.because:
            yield block("sub", own("after: "), said("; ".join(one.because), ""))


def _before(one: Correction) -> Iterator[Span]:
    yield own(f"Version {one.version} (round {one.round}), until {when(one.at)}, ")
    yield own(f"{'said' if one.now else 'said, and no longer says'}: ")
    yield said(one.before, one.language)
    if one.sources:
        yield own(" – ")
        yield said("; ".join(one.sources), "")


def _sources(brief: Brief) -> Iterator[Block]:
    yield block("heading", own("Sources"))
    for one in brief.sources:
        spans = [own(f"[{one.number}] "), *_who(one, number=False), own(": ")]
        spans.append(said(one.title, one.language, link=safe_link(one.url)))
        if one.share is not None:
            told = f"{100 * one.share:.1f} % of the summary" if one.sentences else "not cited"
            spans.append(own(f" – {told}"))
        yield Block(kind="item", spans=tuple(spans), source=one.number)
        for note in one.notes:
            yield block("sub", own("note: "), said(note, ""))
    shares = [
        f"{language_name(name)} {100 * share:.1f} % ({counted(reports, 'report')})"
        for name, reports, share in brief.shares
        if share is not None
    ]
    if shares:
        yield block("text", own(f"The summary by language of its sources: {', '.join(shares)}."))


def _missing(brief: Brief) -> Iterator[Block]:
    yield block("heading", own("Unscored or missing, and why"))
    if not brief.missing:
        yield block("text", own("Nothing that is known of."))
    for one in brief.missing:
        yield block("item", said(one.what, ""), own(": "), said(one.why, ""))


def _who(source: Source, *, number: bool = True) -> Iterator[Span]:
    if number:
        yield refs((source.number,))
        yield own(" ")
    yield from _report(source.outlet, source.language, source.country, source.published)


def _report(
    outlet: str, language: str, country: str | None, published: datetime | None
) -> Iterator[Span]:
    yield said(outlet, "")
    yield own(f" ({language_name(language)}, ")
    if country:
        yield said(country, "")
        yield own(", ")
    yield own(f"{when(published)})")


def _voices(sources: Sequence[int], languages: Sequence[str]) -> str:
    told = ", ".join(map(language_name, languages))
    return f"{counted(len(sources), 'report')} in {told}" if len(sources) > 1 else f"in {told}"
