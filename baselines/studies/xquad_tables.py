"""The component study in the layout of GlobeSumm's table 3, with the tokens that each keeps."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from baselines.studies.page import Page, Section, plain_table
from baselines.studies.xquad import CONDITIONS, Answered, Condensed, Setup
from baselines.studies.xquad_data import Questions
from baselines.studies.xquad_rules import RULES, is_right

Cell = tuple[str, str]
"""(condition, language)."""


@dataclass(slots=True)
class Tally:
    """Sums by condition and language, filled as results come in.

    `right` of `answered` answers; `failed` ones are in neither.  `tokens` of `condensed` texts.
    """

    right: Counter[Cell] = field(default_factory=Counter)
    answered: Counter[Cell] = field(default_factory=Counter)
    failed: Counter[Cell] = field(default_factory=Counter)
    tokens: Counter[Cell] = field(default_factory=Counter)
    condensed: Counter[Cell] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def accuracy(self, condition: str, language: str) -> float | None:
        """Right answers of those answered, 0 to 1; None where there is none."""
        cell = condition, language
        return self.right[cell] / self.answered[cell] if self.answered[cell] else None

    def kept(self, condition: str, language: str) -> float | None:
        """Tokens of a text after `condition`, the mean; None where there is none."""
        cell = condition, language
        return self.tokens[cell] / self.condensed[cell] if self.condensed[cell] else None


class Marker:
    """Says of answers whether they are right.

    A question about a paragraph that was put into another language may be answered with what
    is right in either, where the file in that language is there too.
    """

    def __init__(self, files: Sequence[Questions], setup: Setup, rule: str) -> None:
        self._rule, self._target = rule, setup.target
        self._golds: Mapping[str, dict[str, tuple[str, ...]]] = {
            one.language: {
                asked.id: asked.answers for held in one.paragraphs for asked in held.questions
            }
            for one in files
        }

    @property
    def has_target(self) -> bool:
        """Whether the right answers in the target language are known."""
        return self._target in self._golds

    def right(self, one: Answered) -> bool | None:
        """None where there is no answer."""
        if one.answer is None:
            return None
        languages = [one.language]
        if CONDITIONS[one.condition].into_target and self.has_target:
            languages.append(self._target)
        golds = [
            (text, language)
            for language in languages
            for text in self._golds[language].get(one.question, ())
        ]
        return is_right(self._rule, one.answer, golds)


def tallied(
    results: Iterable[tuple[Condensed, Sequence[Answered]]],
    marker: Marker,
    count: Callable[[str], int],
    tally: Tally,
) -> Iterable[tuple[Condensed, Sequence[Answered]]]:
    """Pass `results` on and add them to `tally`; `count` counts the tokens of a text."""
    for condensed, answers in results:
        cell = condensed.condition, condensed.language
        if condensed.text is not None:
            tally.condensed[cell] += 1
            tally.tokens[cell] += count(condensed.text)
        for one in answers:
            right = marker.right(one)
            if right is None:
                tally.failed[cell] += 1
                tally.reasons[(one.reason or "no answer")[:80]] += 1
            else:
                tally.answered[cell] += 1
                tally.right[cell] += right
        yield condensed, answers


def page(
    tally: Tally,
    files: Sequence[Questions],
    setup: Setup,
    settings: Sequence[tuple[str, str]],
    rule: str,
) -> Page:
    """The tables; a mean is over the languages that have a value, each weighing the same."""
    languages = [one.language for one in files]
    return Page(
        title="Component study: questions answered from what is kept",
        settings=(*settings, ("right answer", f"{rule}: {RULES[rule].about}")),
        sections=(
            Section(
                title="Accuracy",
                about=(
                    "Right answers in per cent of those answered, by the language of the "
                    f"paragraph. What goes into {setup.target} leaves {setup.target} out, in the "
                    "mean as well."
                ),
                table=plain_table(
                    ("group", "method", *languages, "mean"),
                    _rows(setup, languages, tally.accuracy, 100),
                    _notes(tally),
                ),
            ),
            Section(
                title="Tokens kept",
                about="Tokens of a paragraph after each method, the mean over paragraphs.",
                table=plain_table(
                    ("group", "method", *languages, "mean"),
                    _rows(setup, languages, tally.kept, 1),
                ),
            ),
        ),
    )


def _rows(
    setup: Setup,
    languages: Sequence[str],
    value: Callable[[str, str], float | None],
    scale: float,
) -> list[tuple[str, ...]]:
    rows = []
    for name in setup.conditions:
        condition = CONDITIONS[name]
        values = [value(name, language) for language in languages]
        known = [one for one in values if one is not None]
        label = f"{condition.label}-{setup.target}" if condition.into_target else condition.label
        mean = sum(known) / len(known) if known else None
        shown = ["–" if one is None else f"{scale * one:.1f}" for one in (*values, mean)]
        rows.append((condition.group, label, *shown))
    return rows


def _notes(tally: Tally) -> list[str]:
    failed = tally.failed.total()
    whole = failed + tally.answered.total()
    notes = [f"{tally.answered.total()} of {whole} questions were answered"]
    if failed:
        by_condition: dict[str, int] = defaultdict(int)
        for (condition, _), count in tally.failed.items():
            by_condition[condition] += count
        notes.append(
            "not answered, and in no accuracy: "
            + ", ".join(f"{name} {count}" for name, count in by_condition.items())
        )
        notes += [f"{count}: {reason}" for reason, count in tally.reasons.most_common(3)]
    return notes
