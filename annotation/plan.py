"""What a recipe will ask of a model before anything is asked: calls and tokens by step.

Calls are exact, as long as no answer is nonsense and no document has to be trimmed:
crs.kis-clp.protocol makes 2n calls before the merges, less one for each document that is in
the target language already, and 4(n - 1) in them.  Requests that are the same (two documents
with one text) count once, as they are asked once.  Tokens are estimates, from the length of the
prompts and texts, and for answers from the shares measured for GlobeSumm.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice

from annotation.ledger import Asked, Ledger, PlannedCall, Roles, SymbolicWriting, once
from annotation.symbolic import Symbolic, Told
from globesumm.languages import script_of
from globesumm.llm.request import Message, Model
from globesumm.prompts import Library
from globesumm.values import Event, Recipe

_CHARACTERS_PER_TOKEN = {"Latn": 3.8, "Cyrl": 2.6, "Grek": 2.2, "Arab": 2.4, "Hebr": 2.2}
_OF_OTHER_SCRIPTS = 1.5

PLAIN = Asked(label="", identity="")
"""Who is asked where one author does everything alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedStep:
    """Calls of one step with the estimated tokens of all their prompts and of all answers.

    `early` says that there may be fewer: a model may end its work before all of them.
    """

    step: str
    calls: int
    prompt_tokens: int
    answer_tokens: int
    early: bool = False

    def __add__(self, other: "PlannedStep") -> "PlannedStep":
        """The same step for two events together."""
        return PlannedStep(
            step=self.step,
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            answer_tokens=self.answer_tokens + other.answer_tokens,
            early=self.early or other.early,
        )

    @property
    def tokens(self) -> int:
        """Prompts and answers together."""
        return self.prompt_tokens + self.answer_tokens


def plan(
    event: Event,
    recipe: Recipe,
    target: str,
    *,
    max_words: int = 250,
    prompts: Library | None = None,
    model: Model | None = None,
    writing: SymbolicWriting = once,
    asked: Asked = PLAIN,
    ledger: Ledger | None = None,
) -> list[PlannedStep]:
    """The steps that `recipe` takes for `event`, in order, each with its calls and tokens.

    `writing` says what is asked for the text of a summary, and `asked` who is.  Calls that
    `ledger` holds already are not counted again, and the others are added to it.  A `model` with a
    tokenizer counts texts and prompts; else their length and script tell.  Raises `UnknownName`
    for a recipe that no model carries out.
    """
    count, ledger = counter(model), Ledger() if ledger is None else ledger
    known = len(ledger.calls)
    symbolic = Symbolic(target, max_words, prompts or Library(), count, ledger)
    symbolic.carry_out(Told(event, count), recipe, Roles.of(asked), writing)
    return by_step(islice(ledger.calls.values(), known, None))


def by_step(calls: Iterable[PlannedCall]) -> list[PlannedStep]:
    """Sums for each step, in the order in which steps first come up."""
    found: dict[str, PlannedStep] = {}
    for call in calls:
        one = PlannedStep(
            step=call.step,
            calls=1,
            prompt_tokens=call.prompt_tokens,
            answer_tokens=call.answer_tokens,
            early=call.early,
        )
        found[call.step] = found[call.step] + one if call.step in found else one
    return list(found.values())


def estimated_tokens(text: str) -> int:
    """About how many tokens a model makes of `text`, by its main script."""
    per_token = _CHARACTERS_PER_TOKEN.get(script_of(text) or "Latn", _OF_OTHER_SCRIPTS)
    return -int(-len(text) // per_token)


def counter(model: Model | None = None) -> Callable[[str], int]:
    """What estimates the tokens of a text: the model's tokenizer, or the text's script."""

    def count(text: str) -> int:
        if not text:
            return 0
        counted = model.count_tokens((Message("user", text),)) if model else None
        return estimated_tokens(text) if counted is None else counted

    return count
