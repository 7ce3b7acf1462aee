"""What a summary does about a conflict, read from its words; a judge may say more."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from baselines.citations.citing import parts
from baselines.ledger.sides import agrees, counted, readable, told_values, topics
from baselines.ledger.values import Handling, Treatment, Voice
from globesumm.text.details import Kind
from globesumm.values import ConflictCause, Sentence
from metrics.entailment import Entailer, Pair

RULE = "words"
"""Version of these rules, for records."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disputed:
    """A conflict as a summary is held against it: sides, voices so far, why they differ."""

    kind: Kind | None
    values: tuple[str, ...]
    voices: tuple[Voice, ...]
    cause: ConflictCause | None


class Nearness:
    """Which statements a sentence, or a part of it, is near: the entailer's values, each once."""

    def __init__(self, entailer: Entailer) -> None:
        self._entailer = entailer
        self._known: dict[Pair, float] = {}
        self.threshold = entailer.threshold
        self.name = f"{RULE} ({entailer.name})"

    def prepare(self, sentences: Iterable[Sentence], voices: Iterable[Voice]) -> None:
        """Judge all pairs at once, which is far cheaper than one by one."""
        held = list(voices)
        pairs = [
            _pair(part, sentence.language, voice)
            for sentence in dict.fromkeys(sentences)
            for part in parts(sentence.text)
            for voice in held
        ]
        missing = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        for pair, verdict in zip(missing, self._entailer.entails(missing), strict=True):
            self._known[pair] = verdict.value or 0.0

    def of(self, part: str, language: str, voice: Voice) -> float:
        """0 to 1."""
        pair = _pair(part, language, voice)
        if pair not in self._known:
            self._known[pair] = self._entailer.entails([pair])[0].value or 0.0
        return self._known[pair]


def treated(
    round_: int, sentences: Sequence[Sentence], disputed: Disputed, near: Nearness
) -> Handling:
    """The handling of one conflict by one summary, by rules.

    A side is told where a sentence near one of its statements gives its figure (or negates as
    it does; or, where sides are in words, is nearest to it).  What settles the conflict depends
    on its cause: the latest side (update), the side that most documents take, and no other
    elsewhere (error, language), or more than one side (perspective, other, cause unknown).
    """
    told = _told(sentences, disputed, near)
    words = tuple(dict.fromkeys(one.text for some in told.values() for one in some))
    values = tuple(value for value in disputed.values if value in told)
    if not told:
        if others := _other_figures(sentences, disputed):
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


def _told(
    sentences: Sequence[Sentence], disputed: Disputed, near: Nearness
) -> dict[str, list[Sentence]]:
    told: dict[str, list[Sentence]] = {}
    by_figures = readable(disputed.kind, disputed.values)
    for sentence in sentences:
        for value in _sides(sentence, disputed, near, by_figures=by_figures):
            told.setdefault(value, []).append(sentence)
    return told


def _sides(sentence: Sentence, disputed: Disputed, near: Nearness, *, by_figures: bool) -> set[str]:
    found: set[str] = set()
    for part in parts(sentence.text):
        close = [(near.of(part, sentence.language, voice), voice) for voice in disputed.voices]
        touching = [(value, voice) for value, voice in close if value > near.threshold]
        if by_figures and disputed.kind:
            given = told_values(part, sentence.language, None, disputed.kind, disputed.values)
            known = {voice.text for _, voice in touching}
            found |= {
                value
                for value in given
                if known or _counts_the_same(part, sentence.language, value, disputed)
            }
        elif touching:
            best = max(touching, key=lambda one: one[0])[1]
            found |= {best.value} if best.value is not None else set()
    return found


def _other_figures(sentences: Sequence[Sentence], disputed: Disputed) -> dict[str, str]:
    """Figure as written → sentence, where it counts what the conflict is about."""
    if disputed.kind is not Kind.NUMBER:
        return {}
    about = {
        topic
        for voice in disputed.voices
        if voice.value is not None
        for topic in topics(voice.text, voice.language, Kind.NUMBER, voice.value)
    }
    return {
        written: sentence.text
        for sentence in sentences
        for topic, written in counted(sentence.text, sentence.language).items()
        if topic in about
    }


def _counts_the_same(part: str, language: str, value: str, disputed: Disputed) -> bool:
    """Whether the figure counts in the sentence what it counts in a statement ("killed")."""
    if disputed.kind is None or disputed.kind is Kind.NEGATION:
        return False
    mine = topics(part, language, disputed.kind, value)
    theirs = {
        topic
        for voice in disputed.voices
        if voice.value is not None
        for topic in topics(voice.text, voice.language, disputed.kind, voice.value)
    }
    return bool(mine & theirs)


def _pair(part: str, language: str, voice: Voice) -> Pair:
    return Pair(
        premise=voice.text,
        hypothesis=part,
        premise_language=voice.language,
        hypothesis_language=language,
    )
