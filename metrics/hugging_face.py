"""The metrics as modules of Hugging Face `evaluate`: `load`, `compute`, `add_batch`, `combine`.

::

    from metrics.hugging_face import load

    rouge = load("rouge", language="de")
    rouge.compute(predictions=["Die Katze saß."], references=[["Die Katze schlief."]])

``evaluate.load(script(), "rouge")`` gives the same without this import, and without the hub.  The
result is that of `metrics.means.means`: a mean is over what was scored, ``<column>_n`` says how
many, ``reasons`` why the rest is not; nothing unscored counts as 0.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from globesumm.errors import MissingPackage, UsageError
from globesumm.languages import UNKNOWN, parse
from globesumm.values import Document
from metrics.base import Candidate, Description, Metric
from metrics.means import means
from metrics.registry import metrics

try:
    import datasets
    import evaluate
except ImportError as error:
    raise MissingPackage("evaluate", "a metric for `evaluate`", "evaluate") from error

if TYPE_CHECKING:
    from globesumm.llm.request import Model
    from metrics.entailment import Entailer

HELD_AGAINST = {
    "rouge": "references",
    "nic": "references",
    "red": None,
    "alignment": "documents",
    "llm": "documents",
    "abstractiveness": "documents",
    "length": "documents",
    "cre": "conflicts",
}
"""What a metric holds a text against, by the first part of its name; None: nothing."""

MEANINGS = {
    "references": "human summaries, one or several for each prediction",
    "documents": "the texts that were summarized, several for each prediction",
    "conflicts": "the event's known conflicts in words, several for each prediction",
}

_CITATION = {
    "rouge": "Lin (2004): ROUGE: A package for automatic evaluation of summaries",
    "llm": "the perspective paper, section 3.1",
}
_OURS = "Ye et al. (2024): GlobeSumm: a challenging benchmark towards unifying multi-lingual, "
_OURS += "cross-lingual and multi-document news summarization (EMNLP 2024)"


class GlobeSummMetric(evaluate.Metric):  # type: ignore[misc]  # evaluate is untyped
    """One metric of the registry (`config_name`) as a module of `evaluate`.

    `language` is that of the predictions, ``"und"`` where unknown, and may be given to `compute`
    instead, as one code or one for each prediction.  `judge` is a model's name (with `base_url`)
    or a `Model`, for ``cre`` and ``llm-…``; `entailer` a name or an `Entailer`, for ``nic`` and
    ``alignment``.  `compute(..., per_item=True)` adds each prediction's values and notes.
    """

    def __init__(
        self,
        config_name: str | None = None,
        *,
        language: str = UNKNOWN,
        judge: "str | Model | None" = None,
        base_url: str | None = None,
        entailer: "str | Entailer | None" = None,
        **settings: Any,
    ) -> None:
        if config_name is None:
            raise UsageError('no metric named: write evaluate.load(script(), "rouge")')
        self._named, self._language = config_name, language
        self._judge = _opened(judge, base_url) if judge is not None else None
        self._entailer = entailer
        self._measure = self._made({})
        super().__init__(config_name=config_name, **settings)

    def _made(self, conflicts: dict[str, Sequence[str]]) -> Metric:
        """The metric; CRE is made anew for the conflicts that it is held against."""
        from metrics.cre import Cre
        from metrics.cre_conflicts import Conflict
        from metrics.entailment.presets import open_entailer
        from metrics.judged import RATINGS, Alignment, Rating
        from metrics.nic import Nic

        name, given = self._named, dict[str, Metric]()
        if self._judge is not None and name == "cre":
            standard = {
                key: tuple(Conflict(text=" ".join(one.split())) for one in held)
                for key, held in conflicts.items()
            }
            given[name] = Cre(self._judge, standard, "given")
        if self._judge is not None and name in RATINGS:
            given[name] = Rating(RATINGS[name], self._judge)
        if self._entailer is not None and name in ("nic", "alignment"):
            named = isinstance(self._entailer, str)
            entails = open_entailer(self._entailer) if named else self._entailer  # type: ignore[arg-type]  # a name
            given[name] = Nic(entails) if name == "nic" else Alignment(entails)  # type: ignore[arg-type]  # opened
        (found,) = metrics(name, given)
        return found

    def _info(self) -> Any:
        about = self._measure.describe()
        against = _against(self._named)
        string = datasets.Value("string")
        several = {"predictions": string} | (
            {against: datasets.Sequence(string)} if against else {}
        )
        forms = [datasets.Features(several)]
        if against == "references":
            forms.append(datasets.Features({"predictions": string, "references": string}))
        return evaluate.MetricInfo(
            description=_described(self._named, self._measure, about),
            citation=_CITATION.get(_family(self._named), _OURS),
            inputs_description=_inputs(against),
            features=forms if len(forms) > 1 else forms[0],
            reference_urls=[],
        )

    def _compute(  # noqa: PLR0917  # evaluate hands each over by name
        self,
        predictions: Sequence[str],
        references: Sequence[str | Sequence[str]] | None = None,
        documents: Sequence[Sequence[str]] | None = None,
        conflicts: Sequence[Sequence[str]] | None = None,
        language: str | Sequence[str] | None = None,
        per_item: bool = False,
    ) -> dict[str, Any]:
        ids = [str(place) for place in range(len(predictions))]
        codes = self._codes(language, len(ids))
        measure = self._measure
        if conflicts is not None:
            measure = self._made(dict(zip(ids, conflicts, strict=True)))
        scores = measure.score(
            [
                Candidate(
                    id=name,
                    event=name,
                    text=text,
                    language=code,
                    references=_texts(references[place]) if references is not None else (),
                    documents=_documents(documents[place]) if documents is not None else (),
                )
                for place, (name, text, code) in enumerate(
                    zip(ids, predictions, codes, strict=True)
                )
            ]
        )
        columns = [column.name for column in measure.columns]
        found = means(columns, scores, len(ids), str(measure.signature))
        if per_item:
            for name in columns:
                held = [score for score in scores if score.metric == name]
                found[f"{name}_items"] = [score.value for score in held]
                found[f"{name}_notes"] = [score.note for score in held]
        return found

    def _codes(self, language: str | Sequence[str] | None, count: int) -> list[str]:
        if language is None or isinstance(language, str):
            return [parse(language or self._language)] * count
        if len(language) != count:
            raise UsageError(f"{count} predictions but {len(language)} languages: give one each")
        return [parse(code) for code in language]


def load(name: str, **settings: Any) -> GlobeSummMetric:
    """The metric of that name in the registry; `settings` are those of `GlobeSummMetric`.

    Raises `UnknownName` with the nearest name there is, and `UsageError` for a metric that needs
    a judge or an entailer without one.
    """
    return GlobeSummMetric(name, **settings)


def script() -> str:
    """The path of this file, for ``evaluate.load(script(), NAME)``."""
    return __file__


def _opened(judge: "str | Model", base_url: str | None) -> "Model":
    from globesumm.llm.backends import open_model

    return open_model(judge, base_url)


def _family(name: str) -> str:
    return name.split("-", maxsplit=1)[0]


def _against(name: str) -> str | None:
    return HELD_AGAINST[_family(name)]


def _described(name: str, measure: Metric, about: Description) -> str:
    arrows = ", ".join(f"{column.name} {column.better.arrow}" for column in measure.columns)
    return (
        f"{name}: {arrows}. {about.measures}. {about.formula}. Range: {about.range}. "
        f"Unscored: {about.empty}. Weak spots: {about.weak_spots}. Signature: {measure.signature}"
    )


def _inputs(against: str | None) -> str:
    lines = ["predictions: the texts to score", "language: of the predictions, a BCP-47 code"]
    lines += [f"{against}: {MEANINGS[against]}"] if against else []
    return "\n".join([*lines, "per_item: also each prediction's value and note"])


def _texts(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _documents(texts: Sequence[str]) -> tuple[Document, ...]:
    return tuple(
        Document(id=str(place), text=text, language=UNKNOWN) for place, text in enumerate(texts, 1)
    )
