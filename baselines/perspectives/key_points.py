"""Key points as a measure: how many a summary tells of its own side's, and how many of others'.

Coverage and faithfulness are those of the perspective paper (equations 1 and 2), with an entailer
in the place of people: k_g of the side's own points told, k_b points told that are other sides'
or reversals of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from baselines.perspectives.values import Side, Topic, each_side, side_id
from metrics.base import Better, Candidate, Column, Description, Measured, Metric, Signature
from metrics.entailment.base import Entailer, Pair

NAME = "key-points"


@dataclass(frozen=True, slots=True)
class Points:
    """What a summary of one side may tell rightly (`own`) and must not (`against`)."""

    own: tuple[str, ...]
    against: tuple[str, ...]
    language: str


@dataclass(frozen=True, slots=True)
class KeyPoints(Metric):
    """Share of a side's key points told, and share of told ones that are its own.

    `points` are by candidate id.  A point is told where `entailer` finds it entailed by the
    summary.
    """

    entailer: Entailer
    points: Mapping[str, Points] = field(repr=False, hash=False)

    @property
    def name(self) -> str:
        return NAME

    @property
    def columns(self) -> tuple[Column, ...]:
        return (
            Column(name="point-coverage", better=Better.HIGHER, low=0.0, high=1.0),
            Column(name="point-faithfulness", better=Better.HIGHER, low=0.0, high=1.0),
        )

    @property
    def signature(self) -> Signature:
        return Signature.of(NAME, entailer=self.entailer.name, against="others+reversed", v=1)

    @property
    def requires(self) -> tuple[str, ...]:
        return ("key points of the sides", *self.entailer.requires)

    def describe(self) -> Description:
        return Description(
            measures="which of the key points that people marked a summary of a side tells",
            formula="coverage = k_g / |K|; faithfulness = k_g / (k_g + k_b), k_g the side's own "
            "points told, k_b those told of other sides and reversals of its own",
            range="0 to 1; higher is better",
            empty="a side without key points, and a summary of which a point could not be judged: "
            "unscored; no point told: coverage 0 and faithfulness unscored (there is nothing to "
            "be faithful)",
            cost="one judgement by the entailer for each point",
            source="perspective paper (Ri et al., 2025), equations 1 and 2",
            difference="an entailer decides what is told, where the paper's annotators did",
            weak_spots="the entailer's errors are the metric's: stand-ins take a point for its "
            "reversal",
        )

    def measure(self, candidates: Sequence[Candidate]) -> list[Mapping[str, Measured]]:
        return [self._measured(candidate) for candidate in candidates]

    def _measured(self, candidate: Candidate) -> Mapping[str, Measured]:
        held = self.points.get(candidate.id)
        if held is None or not held.own:
            return self._both(Measured(None, "the side has no key points"))
        texts = [*held.own, *held.against]
        verdicts = self.entailer.entails(
            [
                Pair(
                    premise=candidate.text,
                    premise_language=candidate.language,
                    hypothesis=text,
                    hypothesis_language=held.language,
                )
                for text in texts
            ]
        )
        failed = [one for one in verdicts if one.value is None]
        if failed:
            told = f"{len(failed)} of {len(texts)} points not judged: {failed[0].reason}"
            return self._both(Measured(None, told))
        good = sum(bool(one.entailed) for one in verdicts[: len(held.own)])
        bad = sum(bool(one.entailed) for one in verdicts[len(held.own) :])
        told_any = good + bad
        return {
            "point-coverage": Measured(good / len(held.own)),
            "point-faithfulness": Measured(good / told_any)
            if told_any
            else Measured(None, "no point is told: there is nothing to be faithful"),
        }

    def _both(self, measured: Measured) -> Mapping[str, Measured]:
        return {column.name: measured for column in self.columns}


def points_of(topics: Sequence[Topic]) -> dict[str, Points]:
    """By side what its summary may tell and must not."""
    return {side_id(topic, side): _points(topic, side) for topic, side in each_side(topics)}


def _points(topic: Topic, side: Side) -> Points:
    others = [one.text for other in topic.others(side) for one in other.key_points]
    turned = [one.reversed for one in side.key_points if one.reversed]
    return Points(
        own=tuple(one.text for one in side.key_points),
        against=(*others, *turned),
        language=topic.reference_language,
    )
