"""The steps from sources and summaries to verdicts; each is a function from records to records.

Nothing here is asked twice: calls and verdicts are kept by whoever opened the judge, so a step
that was interrupted is repeated and goes on from what is there.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from globesumm.finite import counted
from globesumm.languages import UNKNOWN
from globesumm.llm.recording import Use
from globesumm.prompts import Data
from globesumm.runs import digest
from globesumm.text import planted
from globesumm.values import KeyFact
from metrics.entailment import Entailer
from metrics.facts.asking import Asker
from metrics.facts.batches import Answer
from metrics.facts.judge import Checked, FactJudge, filtered, sentences_of
from metrics.facts.merged import merged
from metrics.facts.records import (
    Candidate,
    Matched,
    RejectedFact,
    SourceFacts,
    SummaryFacts,
    Supported,
)
from metrics.facts.replies import Sentences
from metrics.facts.sources import Source
from metrics.facts.verdicts import WARNED, Verdicts

SUMMARIZE = "facts.summarize"

Match = Callable[[Sequence[KeyFact], Sequence[str], str], list[Answer[Sentences]]]
"""For each key fact the sentences (from 1), in a language, that state it."""

Verify = Callable[[Sequence[str], str, Source], list[Checked]]
"""Facts in a language against a source."""


def extracted(judge: FactJudge, source: Source, entailer: Entailer | None = None) -> SourceFacts:
    """Key facts of every part, merged over parts: equal texts, and with an `entailer` also facts
    that entail one another across languages; their documents add up.
    """
    parts, warnings = judge.extract(source), _warnings(source=source)
    notes = tuple(f"{one.part}: {note}" for one in parts for note in one.notes)
    failed = [one for one in parts if one.reason]
    if len(failed) == len(parts):
        reason = failed[0].reason if failed else "the source has no part"
        return SourceFacts(
            source=source.id, facts=None, reason=reason, notes=notes, warnings=warnings
        )
    notes += tuple(f"{one.part}: no key facts: {one.reason}" for one in failed)
    facts = merged([fact for one in parts for fact in one.accepted], entailer)
    kept = {fact.text for fact in facts}
    rejected = tuple(
        RejectedFact(fact=fact, reason=reason)
        for one in parts
        for fact, reason in one.rejected
        if fact.text not in kept
    )
    return SourceFacts(
        source=source.id, facts=tuple(facts), rejected=rejected, notes=notes, warnings=warnings
    )


def _warnings(candidate: Candidate | None = None, source: Source | None = None) -> tuple[str, ...]:
    """What in the summary and in the source speaks to a model, each once."""
    texts = [("the summary", candidate.summary)] if candidate else []
    texts += [("the source", part.text) for part in source.parts] if source else []
    return tuple(dict.fromkeys(note for what, text in texts if (note := planted.note(text, what))))


def decomposed(
    judge: FactJudge, candidate: Candidate, voters: Sequence[FactJudge] = ()
) -> SummaryFacts:
    """The summary's facts, without those that two of the `voters` do not find in it."""
    read, text = judge.decompose(candidate.summary), digest([candidate.summary])
    made = SummaryFacts(
        id=candidate.id,
        system=candidate.system,
        facts=None,
        digest=text,
        warnings=_warnings(candidate),
    )
    if read.verdicts is None:
        return replace(made, reason=read.reason)
    if not voters or not read.verdicts:
        return replace(made, facts=read.verdicts)
    votes = filtered(read.verdicts, candidate.summary, voters)
    return replace(
        made,
        facts=tuple(read.verdicts[n] for n in votes.kept),
        discarded=tuple(read.verdicts[n] for n in votes.discarded),
        undecided=tuple(read.verdicts[n] for n in votes.undecided),
    )


def matched(match: Match, candidate: Candidate, key_facts: SourceFacts | None) -> Matched:
    """Which sentences state which key facts; without key facts the reason."""
    sentences = tuple(sentences_of(candidate.summary, candidate.language))
    warnings = (*_warnings(candidate), *(key_facts.warnings if key_facts else ()))
    if key_facts is None or key_facts.facts is None:
        reason = "no key facts of its source" if key_facts is None else key_facts.reason
        return Matched(
            id=candidate.id,
            system=candidate.system,
            sentences=sentences,
            key_facts=(),
            matches=None,
            reason=reason,
            warnings=warnings,
        )
    texts = tuple(fact.text for fact in key_facts.facts)
    answers = match(key_facts.facts, sentences, candidate.language)
    reasons = [one.reason for one in answers if one.verdict is None and one.reason]
    return Matched(
        id=candidate.id,
        system=candidate.system,
        sentences=sentences,
        key_facts=texts,
        matches=tuple(one.verdict for one in answers),
        reason=reasons[0] if reasons else None,
        warnings=warnings,
    )


def verified(
    verify: Verify, candidate: Candidate, facts: SummaryFacts | None, source: Source | None
) -> Supported:
    """Whether the source supports each fact of the summary, with the verdict of every part."""
    warnings = _warnings(candidate, source)
    if facts is None or facts.facts is None:
        reason = "the summary was not decomposed" if facts is None else facts.reason
        return Supported(
            id=candidate.id,
            system=candidate.system,
            facts=(),
            supported=None,
            reason=reason,
            warnings=warnings,
        )
    stale = facts.digest not in (None, digest([candidate.summary]))
    if stale or source is None:
        return Supported(
            id=candidate.id,
            system=candidate.system,
            facts=facts.facts,
            supported=None,
            reason="its facts are those of another text: decompose it again"
            if stale
            else f"no source {candidate.id!r}",
            warnings=warnings,
        )
    found = verify(facts.facts, candidate.language, source)
    pieces = max((one.pieces for one in found), default=1)
    notes = []
    if pieces > len(source.parts):
        notes.append(f"the source was read in {pieces} pieces; one that supports a fact is enough")
    others = {part.language for part in source.parts} - {candidate.language, UNKNOWN}
    if others and candidate.language != UNKNOWN:
        notes.append(f"summary in {candidate.language}, source in {', '.join(sorted(others))}")
    return Supported(
        id=candidate.id,
        system=candidate.system,
        facts=facts.facts,
        supported=tuple(one.supported for one in found),
        by_part=tuple(one.by_part for one in found),
        evidence=tuple(one.evidence for one in found),
        pieces=pieces,
        reason=next((one.reason for one in found if one.reason), None),
        notes=tuple(notes),
        warnings=warnings,
    )


def matching_by_judge(judge: FactJudge) -> Match:
    """Matching by a model that is asked."""
    return lambda facts, sentences, _: judge.match([fact.text for fact in facts], sentences)


def by_judge(judge: FactJudge) -> Verify:
    """Verification by a model that is asked."""
    return lambda facts, _, source: judge.verify(facts, source)


def verdicts(
    matches: Iterable[Matched], support: Iterable[Supported], sources: Iterable[Source] = ()
) -> list[Verdicts]:
    """Both directions of every summary put together, in order of system and source."""
    forward = {(one.system, one.id): one for one in matches}
    backward = {(one.system, one.id): one for one in support}
    scenarios = {source.id: source.scenario for source in sources}
    found = []
    for system, name in sorted(forward.keys() | backward.keys()):
        one, other = forward.get((system, name)), backward.get((system, name))
        notes: dict[str, str] = {}
        held: tuple[tuple[int, ...], ...] | None = None
        if one is not None:
            known = [match for match in one.matches or () if match is not None]
            unread = len(one.matches or ()) - len(known)
            if one.matches is None or unread:
                told = f"{unread} of {counted(len(one.key_facts), 'key fact')} without a verdict: "
                notes["key_facts"] = (told if unread else "") + (one.reason or "not matched")
            else:
                held = tuple(known)
        if other is not None and other.supported is None:
            notes["supported"] = other.reason or "not verified"
        said = dict.fromkeys(w for made in (one, other) if made for w in made.warnings)
        if said:
            notes[WARNED] = "; ".join(said)
        found.append(
            Verdicts(
                id=name,
                key_facts=held,
                sentences=len(one.sentences) if one else 0,
                supported=other.supported if other else None,
                system=system,
                scenario=scenarios.get(name),
                notes=notes or None,
            )
        )
    return found


def violations(judges: Iterable[str], systems: Iterable[str]) -> list[str]:
    """Judges that are among the judged: a model must not judge its own summaries.

    The rule: two names are one model if they are the same in lower case, without the part before
    the last slash and without a date or snapshot at the end.
    """
    judged = {_model(name): name for name in systems}
    return [
        f"{judge} judges {judged[_model(judge)]}, which is the same model: scores may favour it"
        for judge in dict.fromkeys(judges)
        if _model(judge) in judged
    ]


def _model(name: str) -> str:
    last = name.casefold().rsplit("/", 1)[-1].rsplit("scripted:", 1)[-1]
    return re.sub(r"[-@:_](?:latest|\d{4}-?\d{2}(?:-?\d{2})?|\d{4})$", "", last)


def generated(asker: Asker, sources: Sequence[Source]) -> list[tuple[Candidate | None, str | None]]:
    """A summary of each source by one instruction without examples (OmniCSEval, 3.2).

    (summary, None) or (None, reason), in order.
    """
    from globesumm.llm.bounded import complete_all
    from globesumm.llm.request import Completion

    requests = []
    asker.noted.plan([SUMMARIZE] * len(sources))
    for source in sources:
        text = "\n\n".join(part.text for part in source.parts)
        values = {"source": Data(label="source", text=text)}
        requests.append(asker.plain(SUMMARIZE, values))
    found: list[tuple[Candidate | None, str | None]] = []
    answers = complete_all(asker.model, requests, most_at_once=asker.most_at_once)
    for source, request, answer in zip(sources, requests, answers, strict=True):
        answered = isinstance(answer, Completion)
        asker.noted.uses.append(Use(request.key, SUMMARIZE, answered=answered))
        if not isinstance(answer, Completion):
            found.append((None, f"the model gave no answer: {answer}"))
            continue
        languages = {part.language for part in source.parts}
        candidate = Candidate(
            id=source.id,
            system=asker.model.name,
            summary=answer.text.strip(),
            language=languages.pop() if len(languages) == 1 else UNKNOWN,
            thinking_tokens=answer.usage.reasoning_tokens if answer.usage else None,
        )
        found.append((candidate, None))
    return found
