"""From a summary's sentences to the sentences of documents that say so."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.passages import passages, sentences_of
from baselines.citations.figures import contradicts, uncovered
from baselines.citations.values import Basis, Citation, Standing, Support
from globesumm.finite import counted
from globesumm.languages import UNKNOWN
from globesumm.values import Event, Round, Sentence, Statement, Summary
from metrics.entailment import Entailer, Pair, VectorStandIn, Verdict

JOINED = 4
"""The most sentences that are judged together where none suffices by itself."""

NEAREST = 20
"""Sentences judged for each summary sentence by an entailer that takes a model."""


@dataclass(frozen=True, slots=True)
class Citer:
    """Cites summaries; without an `entailer` only what the merge itself names is cited.

    A sentence of which the merge says what it rests on is cited so, exactly; with `judge_all`
    it is judged like any other.  All others are held against each sentence of the documents
    that the round covers, and those that the entailer says to entail them are cited.

    A summary sentence may fuse several reports.  A stand-in is therefore also asked about its
    parts between semicolons and the like; and since it sees neither numbers nor negations,
    those are left out that contradict the sentence in a number, time or date
    (`check_figures`).  A model of entailment judges the `nearest` ones by sentence vectors
    (0: all), and where none suffices, the best few together.
    """

    entailer: Entailer | None
    judge_all: bool = False
    check_figures: bool = True
    nearest: int | None = None

    @property
    def method(self) -> str:
        """What decides citations, for records and readers."""
        if self.entailer is None:
            return "sources of the merge only"
        parts = [self.entailer.name]
        if self._checks:
            parts.append("figures checked")
        if self.entailer.stand_in:
            parts.append("parts of sentences")
        if self._most:
            parts.append(f"the {self._most} nearest by vectors")
        return "; ".join(parts)

    @property
    def _checks(self) -> bool:
        return self.check_figures and bool(self.entailer and self.entailer.stand_in)

    @property
    def _most(self) -> int:
        if self.nearest is not None:
            return self.nearest
        return 0 if self.entailer is None or self.entailer.stand_in else NEAREST

    def cite(self, summary: Summary, event: Event, *, prefixes: bool = False) -> list[Citation]:
        """A citation for each sentence of the last round's summary, in order.

        With `prefixes` those of all rounds, round by round.
        """
        rounds = summary.rounds or (
            Round(
                index=1,
                documents=tuple(document.id for document in event.documents),
                added=(),
                summary=summary.text,
            ),
        )
        sources = {
            passage.documents[0]: [one for said in passage.sentences for one in said.statements]
            for passage in passages(event)
        }
        wanted = rounds if prefixes else rounds[-1:]
        return [one for round_ in wanted for one in self._of_round(summary, round_, event, sources)]

    def _of_round(
        self,
        summary: Summary,
        round_: Round,
        event: Event,
        sources: Mapping[str, Sequence[Statement]],
    ) -> Iterator[Citation]:
        told = sentences_of(round_, summary.target)
        covered = [one for name in round_.documents for one in sources.get(name, ())]
        open_ = [one for one in told if self.judge_all or not one.statements]
        judged = self._judged(open_, covered) if self.entailer else {}
        for place, sentence in enumerate(told, 1):
            held = judged.get(sentence)
            supports, note = self._supports(sentence, covered, held, event)
            values = [verdict.value for verdict in (held or {}).values()]
            if supports:
                standing = Standing.SUPPORTED
            elif held is None or (values and all(value is None for value in values)):
                standing = Standing.UNJUDGED
                note = note or _why_not(held, self.entailer)
            else:
                standing = Standing.UNSUPPORTED
            known = [value for value in values if value is not None]
            nearest = None if supports else _nearest(held or {})
            yield Citation(
                event=summary.event,
                recipe=summary.recipe,
                round=round_.index,
                sentence=place,
                language=sentence.language,
                text=sentence.text,
                standing=standing,
                supports=supports,
                figures=() if standing is Standing.UNJUDGED else uncovered(sentence, supports),
                judged=len(known),
                pairs=len(values),
                nearest=nearest,
                method=self.method if held is not None or self.entailer is None else "merge",
                note=note,
            )

    def _supports(
        self,
        sentence: Sentence,
        covered: Sequence[Statement],
        held: Mapping[Statement, Verdict] | None,
        event: Event,
    ) -> tuple[tuple[Support, ...], str | None]:
        if held is None:
            return tuple(_named(sentence)), None
        entailed = {one: verdict for one, verdict in held.items() if verdict.entailed}
        if self._checks:
            times = {document.id: document.published for document in event.documents}
            dropped = [
                one
                for one in entailed
                if contradicts(sentence, one, times.get(one.document), event.date)
            ]
            note = (
                f"left out for other figures: {counted(len(dropped), 'near sentence')}"
                if dropped
                else None
            )
            entailed = {one: verdict for one, verdict in entailed.items() if one not in dropped}
        else:
            note = None
        if not entailed and self.entailer and not self.entailer.stand_in:
            together, value = self._together(sentence, covered, held)
            return tuple(_support(one, Basis.JOINTLY, value) for one in together), note
        ordered = sorted(entailed, key=lambda one: -(entailed[one].value or 0.0))
        found = (_support(one, Basis.ENTAILED, entailed[one].value) for one in ordered)
        return tuple(found), note

    def _judged(
        self, told: Sequence[Sentence], covered: Sequence[Statement]
    ) -> dict[Sentence, dict[Statement, Verdict]]:
        assert self.entailer is not None  # noqa: S101  # the caller looked
        near = self._near(told, covered)
        pairs = [
            (one, said, part)
            for one in dict.fromkeys(told)
            for part in (parts(one.text) if self.entailer.stand_in else [one.text])
            for said in near[one]
        ]
        asked = [_pair(replace(one, text=part), said) for one, said, part in pairs]
        found: dict[Sentence, dict[Statement, Verdict]] = {one: {} for one in told}
        for (one, said, _), verdict in zip(pairs, self.entailer.entails(asked), strict=True):
            known = found[one].get(said)
            if known is None or (verdict.value or 0.0) > (known.value or 0.0):
                found[one][said] = verdict
        return found

    def _near(
        self, told: Sequence[Sentence], covered: Sequence[Statement]
    ) -> dict[Sentence, list[Statement]]:
        """The statements worth judging for each sentence, in the documents' order."""
        every = [said for said in covered if _tells(said.text)]
        if not self._most or len(every) <= self._most:
            return dict.fromkeys(told, every)
        vectors, near = VectorStandIn(), {}
        for one in dict.fromkeys(told):
            values = [v.value or 0.0 for v in vectors.entails([_pair(one, s) for s in every])]
            best = sorted(range(len(every)), key=lambda place: -values[place])[: self._most]
            near[one] = [every[place] for place in sorted(best)]
        return near

    def _together(
        self,
        sentence: Sentence,
        covered: Sequence[Statement],
        held: Mapping[Statement, Verdict],
    ) -> tuple[list[Statement], float | None]:
        """The fewest of the best statements that entail the sentence as one text, or none."""
        assert self.entailer is not None  # noqa: S101  # the caller looked
        place = {said: number for number, said in enumerate(covered)}
        known = [said for said, verdict in held.items() if verdict.value is not None]
        best = sorted(known, key=lambda said: -(held[said].value or 0.0))[:JOINED]
        for count in range(2, len(best) + 1):
            some = sorted(best[:count], key=place.__getitem__)
            tongues = {said.language for said in some}
            pair = Pair(
                premise=" ".join(said.text for said in some),
                hypothesis=sentence.text,
                premise_language=tongues.pop() if len(tongues) == 1 else UNKNOWN,
                hypothesis_language=sentence.language,
            )
            if self.entailer.languages is not None and pair.premise_language == UNKNOWN:
                # Each sentence is in a language it reads, or it would have no value.
                pair = Pair(
                    premise=pair.premise,
                    hypothesis=pair.hypothesis,
                    premise_language=some[0].language,
                    hypothesis_language=pair.hypothesis_language,
                )
            verdict = self.entailer.entails([pair])[0]
            if verdict.entailed:
                return some, verdict.value
        return [], None


_BREAKS = re.compile(r"[;:؛；：]\s*|\s+[–—]\s+|,\s+(?=while\b|but\b|and\b|whereas\b)|\sbut\s")
_LEAST_WORDS = 4


def parts(text: str) -> list[str]:
    """`text` itself, then what stands between its semicolons, colons, dashes and the like.

    A part has four words or more; scripts without spaces give none but the text.
    """
    found = [part.strip(" ,") for part in _BREAKS.split(text)]
    long = [part for part in found if len(part.split()) >= _LEAST_WORDS]
    return list(dict.fromkeys([text, *long]))


def _named(sentence: Sentence) -> Iterator[Support]:
    """What the merge names; the statement that reads as the sentence does is its own."""
    own = [one for one in sentence.statements if one.text == sentence.text]
    for one in own:
        yield _support(one, Basis.OWN, None)
    for one in sentence.statements:
        if one not in own:
            yield _support(one, Basis.MERGE, None)


def _nearest(held: Mapping[Statement, Verdict]) -> Support | None:
    """The statement of the highest value, for a reader to look at."""
    known = {one: verdict.value for one, verdict in held.items() if verdict.value is not None}
    if not known:
        return None
    best = max(known, key=lambda one: known[one])
    return _support(best, Basis.NEAREST, known[best])


def _support(one: Statement, basis: Basis, score: float | None) -> Support:
    return Support(
        document=one.document,
        index=one.index,
        language=one.language,
        text=one.text,
        basis=basis,
        score=None if score is None else round(score, 4),
    )


def _pair(sentence: Sentence, said: Statement) -> Pair:
    return Pair(
        premise=said.text,
        hypothesis=sentence.text,
        premise_language=said.language,
        hypothesis_language=sentence.language,
    )


def _tells(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _why_not(held: Mapping[Statement, Verdict] | None, entailer: Entailer | None) -> str:
    if held is None or entailer is None:
        return "the merge names no source, and no entailer was asked"
    if not held:
        return "no document has a sentence"
    reasons = dict.fromkeys(verdict.reason or "no value" for verdict in held.values())
    return next(iter(reasons))
