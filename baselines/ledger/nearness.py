"""Which statements the words of a summary are near, each pair judged once."""

from collections.abc import Collection, Iterable, Mapping
from itertools import chain

from baselines.ledger.values import Voice
from metrics.entailment import Entailer, Pair

RULE = "words"
"""Version of the rules that read treatments, for records."""

Said = tuple[str, str]
"""A text and its language."""


class Nearness:
    """Which statements a sentence, or a part of it, is near: above the entailer's threshold."""

    def __init__(self, entailer: Entailer) -> None:
        self._entailer = entailer
        self._judged: dict[Said, set[Said]] = {}
        self._near: dict[Said, dict[Said, float]] = {}
        self.threshold = entailer.threshold
        self.name = f"{RULE} ({entailer.name})"

    def prepare(self, wanted: Mapping[Said, Iterable[Collection[Said]]]) -> None:
        """Judge the parts wanted of each statement together, far cheaper than one by one.

        `wanted` are the parts of summaries by the statement (of `said`) they are held against.
        """
        for voice, some in wanted.items():
            judged = self._judged.setdefault(voice, set())
            parts = [one for one in dict.fromkeys(chain.from_iterable(some)) if one not in judged]
            judged.update(parts)
            verdicts = self._entailer.entails([_pair(part, voice) for part in parts])
            near = self._near.setdefault(voice, {})
            for part, verdict in zip(parts, verdicts, strict=True):
                value = verdict.value or 0.0
                if value > self.threshold:
                    near[part] = value

    def of(self, voice: Voice) -> Mapping[Said, float]:
        """The parts judged so far that are near what `voice` says, with values from 0 to 1."""
        return self._near.get(said(voice), {})


def said(voice: Voice) -> Said:
    """What a voice says, apart from who says it."""
    return voice.text, voice.language


def _pair(part: Said, voice: Said) -> Pair:
    return Pair(
        premise=voice[0],
        hypothesis=part[0],
        premise_language=voice[1],
        hypothesis_language=part[1],
    )
