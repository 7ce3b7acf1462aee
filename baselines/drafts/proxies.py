"""What drafts are chosen by: one literal table of proxies, by the names of ``[drafts] proxies``.

Proxies choose; metrics judge the result.  Whoever judges results with the judge that chose them
measures how well the choice pleased that judge.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from annotation.author import Question
from annotation.threads import in_threads
from baselines.drafts.base import Draft, Objective, Task
from baselines.drafts.drawing import PASSING, failed
from baselines.drafts.objectives import ByMetric, Coverage, Faithfulness
from baselines.drafts.objectives_conflicts import ConflictHandling
from baselines.drafts.objectives_language import LanguageBalance
from globesumm.config import Drafts
from globesumm.errors import UnknownName, UsageError
from globesumm.llm.errors import ModelError
from globesumm.llm.recording import asking_for
from globesumm.llm.request import Completion, Decoding, Model, Request
from globesumm.prompts import Library
from globesumm.values import Document
from metrics.base import Better, Measured
from metrics.entailment.base import Entailer
from metrics.entailment.presets import open_entailer
from metrics.judged import RATINGS, Alignment, Rating
from metrics.judged.rating import MOST_TOKENS
from metrics.red import Red
from metrics.red_vectors import RedVectors
from metrics.rouge import Rouge

MOST_TOKENS_THINKING = 8192
"""Of a judge's reply where it reasons before its digit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """Who rates drafts, and how: the `model` with `prompts`; `reasoning` as in `Decoding`."""

    model: Model
    prompts: Library = field(default_factory=Library)
    reasoning: str | int | None = None
    weighted: bool = False
    enforced: bool = True
    most_at_once: int = 8

    @property
    def decoding(self) -> Decoding:
        """Greedy, and short: the reply is one digit."""
        return judge_decoding(self.reasoning)


def judge_decoding(reasoning: str | int | None) -> Decoding:
    """How a judge of ratings is asked."""
    thinks = reasoning not in (None, "off")
    most = MOST_TOKENS_THINKING if thinks else MOST_TOKENS
    return Decoding(temperature=0.0, max_tokens=most, seed=0, reasoning=reasoning)


Reply = Completion | ModelError


@dataclass(frozen=True, slots=True)
class ByRating:
    """LLM-Coverage or LLM-Faithfulness of a draft beside the task's documents."""

    rating: Rating

    @property
    def name(self) -> str:
        return self.rating.name

    @property
    def better(self) -> Better:
        return Better.HIGHER

    @property
    def low(self) -> float:
        return 0.0

    @property
    def high(self) -> float:
        return 1.0

    @property
    def signature(self) -> str:
        return str(self.rating.signature)

    def score(self, task: Task, drafts: Sequence[Draft]) -> list[Measured]:
        """Unscored where the judge gave no digit; raises `StepError` where it could not be had
        now and may be later.
        """
        answers = in_threads(self.calls(task, drafts), self.rating.most_at_once)
        return self.read(task, drafts, answers)

    def calls(self, task: Task, drafts: Sequence[Draft]) -> list[Callable[[], Reply]]:
        """What asks the judge, once a draft; nothing where there is no source."""
        sources = _sources(task)
        requests = [self.rating.request(sources, draft.text or "") for draft in drafts if sources]
        return [partial(self._asked, request) for request in requests]

    def read(self, task: Task, drafts: Sequence[Draft], answers: Sequence[Reply]) -> list[Measured]:
        """The values in the answers to `calls`; raises what `score` raises."""
        if not _sources(task):
            return [Measured(None, "there is no source to hold it against")] * len(drafts)
        for answer in answers:
            if isinstance(answer, PASSING):
                step = Question(
                    step=f"rating by {self.name}",
                    about=task.step.question.about,
                    prompt=self.rating.prompts[self.rating.prompt],
                )
                raise failed(task, str(answer), answer, question=step)
        return [self.rating.read(answer) for answer in answers]

    def _asked(self, request: Request) -> Reply:
        try:
            with asking_for(f"rating {self.name}"):
                return self.rating.model.complete(request)
        except ModelError as error:
            if isinstance(error, UsageError):
                raise
            return error


def _sources(task: Task) -> list[Document]:
    return [one for one in task.documents if one.text.strip()]


def scores(
    proxies: Sequence[Objective], task: Task, drafts: Sequence[Draft]
) -> list[list[Measured]]:
    """What each of `proxies` says of each draft; those that ask a judge ask at the same time."""
    asking_ones = [one for one in proxies if isinstance(one, ByRating)]
    calls = [one.calls(task, drafts) for one in asking_ones]
    most = max((one.rating.most_at_once for one in asking_ones), default=1)
    following = iter(in_threads([call for held in calls for call in held], most))
    answers = {
        id(one): [next(following) for _ in held]
        for one, held in zip(asking_ones, calls, strict=True)
    }
    return [
        one.read(task, drafts, answers[id(one)])
        if isinstance(one, ByRating)
        else one.score(task, drafts)
        for one in proxies
    ]


@dataclass(frozen=True, slots=True)
class RougeProxy:
    """The paper's control: how much a draft shares with its sources, word for word.

    The mean over ROUGE-1, 2 and L of (precision + recall) / 2 against the sources in the target
    language as one text: 0 to 1, higher is better (perspective paper, 6.2).
    """

    better: Better = field(default=Better.HIGHER, init=False)
    low: float = field(default=0.0, init=False)
    high: float = field(default=1.0, init=False)

    @property
    def name(self) -> str:
        return "rouge"

    @property
    def signature(self) -> str:
        return f"rouge-proxy|types:1+2+L|of:mean(P,R)|{Rouge().signature}"

    def score(self, task: Task, drafts: Sequence[Draft]) -> list[Measured]:
        """Unscored where no source is in the target language: no word could be shared."""
        readable = [one for one in task.documents if one.language == task.target]
        if not readable:
            return [Measured(None, f"no source is in {task.target}")] * len(drafts)
        note = (
            f"{len(readable)} of {len(task.documents)} sources are in {task.target}"
            if len(readable) < len(task.documents)
            else None
        )
        sources, rouge = "\n".join(one.text for one in readable), Rouge()
        found = []
        for draft in drafts:
            held = rouge.compare(draft.text or "", sources, task.target).values()
            parts = [part for one in held for part in (one.precision, one.recall)]
            found.append(Measured(sum(parts) / len(parts), note))
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyRow:
    """One proxy: what makes it, whether it asks a judge once a draft, and what it is."""

    make: Callable[[Drafts, Judging | None], Objective]
    about: str
    asks: bool = False


def _rating(name: str, settings: Drafts, judging: Judging | None) -> Objective:
    if judging is None:
        raise UsageError(f"the proxy {name} asks a model, and there is none: name a judge")
    rating = Rating(
        RATINGS[name],
        judging.model,
        prompts=judging.prompts,
        decoding=judging.decoding,
        weighted=settings.weighted,
        enforced=judging.enforced,
        most_at_once=judging.most_at_once,
    )
    return ByRating(rating)


def _entailed(
    make: Callable[[Entailer], Objective], settings: Drafts, judging: Judging | None
) -> Objective:
    del judging
    return make(open_entailer(settings.entailer, settings.entailer_weights))


def _plain(make: Callable[[], Objective], settings: Drafts, judging: Judging | None) -> Objective:
    del settings, judging
    return make()


PROXIES: Mapping[str, ProxyRow] = {
    "llm-coverage": ProxyRow(
        make=partial(_rating, "llm-coverage"),
        about="a judge's rating from 1 to 5 of what a draft tells of its sources",
        asks=True,
    ),
    "llm-faithfulness": ProxyRow(
        make=partial(_rating, "llm-faithfulness"),
        about="a judge's rating from 1 to 5 of how far the sources support a draft",
        asks=True,
    ),
    "rouge": ProxyRow(
        make=partial(_plain, RougeProxy),
        about="mean of precision and recall of ROUGE-1, 2 and L against the sources",
    ),
    "alignment": ProxyRow(
        make=partial(_entailed, lambda entailer: ByMetric.of(Alignment(entailer))),
        about="mean over a draft's sentences of how far some source entails each",
    ),
    "coverage": ProxyRow(
        make=partial(_entailed, Coverage),
        about="share of the sources' sentences that a draft entails, each source alike",
    ),
    "faithfulness": ProxyRow(
        make=partial(_entailed, Faithfulness),
        about="share of a draft's sentences that some source entails",
    ),
    "red": ProxyRow(
        make=partial(_plain, lambda: ByMetric.of(Red.minilm())),
        about="sentences that repeat each other (English)",
    ),
    "red-vectors": ProxyRow(
        make=partial(_plain, lambda: ByMetric.of(RedVectors.e5())),
        about="sentences that repeat each other, in any language",
    ),
    "conflict-handling": ProxyRow(
        make=partial(_entailed, ConflictHandling),
        about="what a draft does about the conflicts between its sources, by a rule",
    ),
    "language-balance": ProxyRow(
        make=partial(_entailed, LanguageBalance),
        about="how evenly a draft draws on the languages of its sources (entropy)",
    ),
    "language-worst": ProxyRow(
        make=partial(_entailed, lambda entailer: LanguageBalance(entailer, "worst")),
        about="the share of the language that a draft draws on least",
    ),
}


def objectives(settings: Drafts, judging: Judging | None = None) -> tuple[Objective, ...]:
    """The proxies of `settings`, in order.

    Raises `UnknownName` for a name in no table, `UsageError` where one needs a judge and there
    is none.
    """
    check_proxies(settings.proxies)
    return tuple(PROXIES[name].make(settings, judging) for name in settings.proxies)


def check_proxies(names: Sequence[str]) -> None:
    """Raise `UnknownName` for a proxy that is in no table."""
    for name in names:
        if name not in PROXIES:
            raise UnknownName("proxy", name, PROXIES, where="[drafts]")


def asking(names: Sequence[str]) -> tuple[str, ...]:
    """Those of `names` that ask a judge."""
    return tuple(name for name in names if PROXIES[name].asks)
