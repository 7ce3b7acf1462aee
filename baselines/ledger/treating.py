"""What a summary does about a conflict, read from its words; a judge may say more."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from baselines.ledger.nearness import Nearness, Said, said
from baselines.ledger.sides import agrees, readable, specific, topics
from baselines.ledger.telling import Telling
from baselines.ledger.values import Handling, Treatment, Voice
from globesumm.text.details import Kind
from globesumm.values import ConflictCause, Sentence

ANYBODY = "people"
"""What a figure counts where the words beside it say no more than that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disputed:
    """A conflict as a summary is held against it: sides, voices so far, why they differ."""

    kind: Kind | None
    values: tuple[str, ...]
    voices: tuple[Voice, ...]
    cause: ConflictCause | None

    @property
    def counted(self) -> frozenset[str]:
        """What the figures of its statements count (``"killed"``), as far as it is known."""
        if self.kind is None or self.kind is Kind.NEGATION:
            return frozenset()
        return frozenset(
            topic
            for one in self.voices
            if one.value is not None
            for topic in topics(one.text, one.language, self.kind, one.value)
        )


def wanted(telling: Telling, disputed: Disputed) -> Iterator[tuple[Said, Collection[Said]]]:
    """The parts of a summary that must be held against each statement, to see what is told."""
    kind = disputed.kind
    parts: Collection[Said] = telling.parts
    if kind and readable(kind, disputed.values):
        counted = disputed.counted
        given = [(part, one) for one in disputed.values for part in telling.giving(kind, one)]
        parts = [part for part, one in given if not _counts_the_same(part, one, kind, counted)]
        if kind is Kind.NUMBER and counted == {ANYBODY} and len(parts) == len(given):
            parts += [part for place, _ in telling.counting(counted) for part in telling.of(place)]
    for voice in disputed.voices if parts else ():
        yield said(voice), parts


def treated(round_: int, telling: Telling, disputed: Disputed, near: Nearness) -> Handling:
    """The handling of one conflict by one summary, by rules.

    A side is told where a sentence near one of its statements gives its figure (or negates as
    it does; or, where sides are in words, is nearest to it).  What settles the conflict depends
    on its cause: the latest side (update), the side that most documents take, and no other
    elsewhere (error, language), or more than one side (perspective, other, cause unknown).
    `near` must have judged what is `wanted`.
    """
    told = _told(telling, disputed, near)
    words = tuple(dict.fromkeys(one.text for some in told.values() for one in some))
    values = tuple(value for value in disputed.values if value in told)
    if not told:
        if others := _other_figures(telling, disputed, near):
            figures = ", ".join(others)
            return Handling(
                round=round_,
                treatment=Treatment.UNADDRESSED,
                words=tuple(dict.fromkeys(others.values())),
                note=f"gives a figure that none of its statements gives: {figures}",
            )
        return Handling(
            round=round_, treatment=Treatment.ABSENT, note="no sentence tells one of its sides"
        )
    settled, why = _settled(told, disputed)
    return Handling(
        round=round_,
        treatment=Treatment.ADDRESSED if settled else Treatment.UNADDRESSED,
        words=words,
        values=values,
        note=why,
    )


def _settled(told: Mapping[str, Sequence[Sentence]], disputed: Disputed) -> tuple[bool, str]:
    said = [voice for voice in disputed.voices if voice.value is not None]
    dated = [voice for voice in said if voice.published is not None]
    if disputed.cause is ConflictCause.UPDATE and dated:
        latest = max(dated, key=lambda one: (one.published, one.round))
        said_last = latest.value or ""
        if any(
            value == said_last
            or agrees(latest.text, latest.language, disputed.kind, said_last, value)
            for value in told
        ):
            return True, f"tells what the latest report says: {latest.value}"
        return False, f"does not tell what the latest report says: {latest.value}"
    if disputed.cause in {ConflictCause.ERROR, ConflictCause.LANGUAGE}:
        best = _most(said)
        if best is None or best not in told:
            return False, f"does not tell what most documents say: {best}"
        apart = [
            value
            for value, some in told.items()
            if value != best and not set(some) & set(told[best])
        ]
        if apart:
            return False, f"tells {best} and, apart from it, {', '.join(apart)}"
        return True, f"tells what most documents say: {best}"
    if len(told) > 1:
        return True, "tells more than one side"
    unknown = "" if disputed.cause else ", and nobody judged the cause"
    return False, f"tells one side alone{unknown}"


def _most(said: Sequence[Voice]) -> str | None:
    documents: dict[str, set[str]] = {}
    for voice in said:
        documents.setdefault(voice.value or "", set()).add(voice.document)
    return max(documents, key=lambda value: len(documents[value]), default=None)


def _told(telling: Telling, disputed: Disputed, near: Nearness) -> dict[str, list[Sentence]]:
    kind = disputed.kind
    if kind and readable(kind, disputed.values):
        sides = _by_figures(telling, disputed, kind, near)
    else:
        sides = _by_words(telling, disputed, near)
    at: dict[int, set[str]] = defaultdict(set)
    for part, value in sides:
        for place in telling.parts[part]:
            at[place].add(value)
    told: dict[str, list[Sentence]] = {}
    for place in sorted(at):
        for value in disputed.values:
            if value in at[place]:
                told.setdefault(value, []).append(telling.sentences[place])
    return told


def _by_figures(
    telling: Telling, disputed: Disputed, kind: Kind, near: Nearness
) -> Iterator[tuple[Said, str]]:
    counted = disputed.counted
    for value in disputed.values:
        for part in telling.giving(kind, value):
            if _counts_the_same(part, value, kind, counted) or _is_near(part, disputed, near):
                yield part, value


def _by_words(telling: Telling, disputed: Disputed, near: Nearness) -> Iterator[tuple[Said, str]]:
    best: dict[Said, tuple[float, str | None]] = {}
    for voice in disputed.voices:
        values = near.of(voice)
        for part in values.keys() & telling.parts.keys():
            if part not in best or values[part] > best[part][0]:
                best[part] = values[part], voice.value
    yield from ((part, value) for part, (_, value) in best.items() if value is not None)


def _other_figures(telling: Telling, disputed: Disputed, near: Nearness) -> dict[str, str]:
    """Figure as written → sentence, where it counts what the conflict is about.

    That something counts people says little: it must be near a statement, too, and is nothing
    where the statements' figures count something more telling.
    """
    if disputed.kind is not Kind.NUMBER:
        return {}
    about = disputed.counted - {ANYBODY} or disputed.counted
    return {
        written: telling.sentences[place].text
        for place, written in telling.counting(about)
        if about != {ANYBODY}
        or any(_is_near(part, disputed, near) for part in telling.of(place) if written in part[0])
    }


def _counts_the_same(part: Said, value: str, kind: Kind, counted: Collection[str]) -> bool:
    """Whether the figure counts in the part what it counts in a statement ("killed")."""
    if not counted:
        return False
    shared = topics(*part, kind, value) & frozenset(counted)
    return bool(shared - {ANYBODY}) or (bool(shared) and specific(value))


def _is_near(part: Said, disputed: Disputed, near: Nearness) -> bool:
    return any(part in near.of(voice) for voice in disputed.voices)
