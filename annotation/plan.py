"""What a recipe will ask of a model before anything is asked: calls and tokens by step.

Calls are exact, as long as no answer is nonsense and no document has to be trimmed:
crs.kis-clp.protocol makes 2n calls before the merges, less one for each document that is in
the target language already, and 4(n - 1) in them.  Tokens are estimates, from the length of the
prompts and texts, and for answers from the shares measured for GlobeSumm.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from annotation.passages import passages
from annotation.pipelines import RECURRENT, steps_of
from annotation.protocol import protocol
from annotation.stages import STAGES
from globesumm.languages import script_of
from globesumm.llm.request import Message, Model
from globesumm.prompts import Library
from globesumm.values import Event, Recipe

TOKENS_PER_WORD = 1.35
"""English; so a summary of `max_words` words has at most about so many tokens a word."""

_CHARACTERS_PER_TOKEN = {"Latn": 3.8, "Cyrl": 2.6, "Grek": 2.2, "Arab": 2.4, "Hebr": 2.2}
_OF_OTHER_SCRIPTS = 1.5

_KIS_SHARE = 343 / 913
"""Tokens of a key information list to those of its document (GlobeSumm, tables 2 and 3)."""

_KIS_OF_SUMMARY_SHARE = 1.1
"""A summary holds little that its list could leave out, and the list repeats names."""

_ISSUE_TOKENS, _STRATEGY_TOKENS = 900, 300


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedStep:
    """Calls of one step with the estimated tokens of all their prompts and of all answers."""

    step: str
    calls: int
    prompt_tokens: int
    answer_tokens: int

    def __add__(self, other: "PlannedStep") -> "PlannedStep":
        """The same step for two events together."""
        return PlannedStep(
            step=self.step,
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            answer_tokens=self.answer_tokens + other.answer_tokens,
        )

    @property
    def tokens(self) -> int:
        """Prompts and answers together."""
        return self.prompt_tokens + self.answer_tokens


@dataclass(frozen=True, slots=True)
class _Text:
    """A text that need not exist yet: how long it is or will be, and its language."""

    tokens: int
    language: str


def plan(
    event: Event,
    recipe: Recipe,
    target: str,
    *,
    max_words: int = 250,
    prompts: Library | None = None,
    model: Model | None = None,
) -> list[PlannedStep]:
    """The steps that `recipe` takes for `event`, in order, each with its calls and tokens.

    A `model` with a tokenizer counts texts and prompts; else their length and script tell.
    Raises `UnknownName` for a recipe that no model carries out.
    """
    return list(_Planner(recipe, target, max_words, prompts or Library(), model).steps(event))


def estimated_tokens(text: str) -> int:
    """About how many tokens a model makes of `text`, by its main script."""
    per_token = _CHARACTERS_PER_TOKEN.get(script_of(text) or "Latn", _OF_OTHER_SCRIPTS)
    return -int(-len(text) // per_token)


class _Planner:
    def __init__(
        self, recipe: Recipe, target: str, max_words: int, prompts: Library, model: Model | None
    ) -> None:
        self._pipeline, self._prompting = steps_of(recipe)
        self._recurrent = recipe.schema in RECURRENT
        self._guided = "where" in self._prompting.steps
        self._target, self._prompts = target, prompts
        self._summary = _Text(round(max_words * TOKENS_PER_WORD), target)
        self._count = _counter(model)
        self._asked: dict[str, list[tuple[int, int]]] = {}
        self._fixed = self._prompt_tokens()

    def steps(self, event: Event) -> Iterator[PlannedStep]:
        texts = [_Text(self._count(p.text), p.language) for p in passages(event)]
        for stage in self._pipeline.prepare:
            texts = [self._after(stage, text) for text in texts]
        if self._recurrent and len(texts) > 1:
            carried = texts[0]
            for text in texts[1:]:
                carried = self._merge((carried, text))
        else:
            self._merge(texts)
        for step, calls in self._asked.items():
            yield PlannedStep(
                step=step,
                calls=len(calls),
                prompt_tokens=sum(prompt for prompt, _ in calls),
                answer_tokens=sum(answer for _, answer in calls),
            )

    def _ask(self, step: str, given: int, made: int) -> int:
        self._asked.setdefault(step, []).append((self._fixed[step] + given, made))
        return made

    def _after(self, stage: str, text: _Text) -> _Text:
        into_target = STAGES[stage].into_target
        if not text.tokens or (into_target and text.language == self._target):
            return text
        made = {"kis": round(text.tokens * _KIS_SHARE), "summarize_source": self._summary.tokens}
        length = max(1, min(made.get(stage, text.tokens), text.tokens))
        self._ask(stage, text.tokens, length)
        return _Text(length, self._target if into_target else text.language)

    def _merge(self, given: Sequence[_Text]) -> _Text:
        """The text that is carried on."""
        told = [text.tokens for text in given if text.tokens]
        if not told:
            return _Text(0, self._target)
        shown = sum(told)
        if self._guided and len(told) > 1:
            issues = self._ask("where", shown, min(_ISSUE_TOKENS, shown))
            so_far = self._fixed["where"] + shown + issues
            settled = self._ask("strategies", so_far, _STRATEGY_TOKENS)
            shown += issues + settled
        length = self._ask("summary", shown, self._summary.tokens)
        for stage in self._pipeline.carry if self._recurrent else ():
            made = round(length * _KIS_OF_SUMMARY_SHARE)
            length = self._ask(f"{stage} of the summary", length, made)
        return _Text(length, self._target)

    def _prompt_tokens(self) -> dict[str, int]:
        """Tokens of each step's prompt before any text stands in it."""
        names = dict(self._prompting.steps)
        names |= {stage: STAGES[stage].prompt for stage in self._pipeline.prepare}
        names |= {f"{stage} of the summary": STAGES[stage].prompt for stage in self._pipeline.carry}
        sizes = {
            step: self._count(self._prompts[name].content.decode("utf-8", "replace"))
            for step, name in names.items()
        }
        if self._guided:
            sizes["where"] += self._count(protocol().definitions())
            sizes["strategies"] += self._count(protocol().cause_rules())
            sizes["summary"] += self._count(protocol().rules())
        return sizes


def _counter(model: Model | None) -> Callable[[str], int]:
    def count(text: str) -> int:
        if not text:
            return 0
        counted = model.count_tokens((Message("user", text),)) if model else None
        return estimated_tokens(text) if counted is None else counted

    return count
