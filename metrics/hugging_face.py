"""The metrics as modules of Hugging Face `evaluate`: `load`, `compute`, `add_batch`, `combine`.

::

    from metrics.hugging_face import load

    rouge = load("rouge", language="de")
    rouge.compute(predictions=["Die Katze saß."], references=[["Die Katze schlief."]])

``evaluate.load(script(), "rouge")`` gives the same without this import, and without the hub.  The
result is that of `metrics.means.means`: a mean is over what was scored, ``<column>_n`` says how
many, ``reasons`` why the rest is not; nothing unscored counts as 0.
"""

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from globesumm.errors import MissingPackage, UnknownName, UsageError
from globesumm.languages import UNKNOWN, parse
from globesumm.values import Document
from metrics.base import Candidate, Description, Metric
from metrics.hugging_face_inputs import checked, codes, document_codes
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

_JUDGED = ("cre", "llm")
_SETTINGS = ("language", "judge", "base_url", "entailer")

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
    ``alignment``.  `compute(..., per_item=True)` adds each prediction's values and notes;
    `document_languages` are those of the documents: a code, or for each prediction one or a list.

    Raises `UsageError` for what is no text, before it is stored.
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
        own = inspect.signature(evaluate.Metric).parameters.keys() - {"config_name", "kwargs"}
        for name in settings.keys() - own:
            raise UnknownName("setting", name, {*_SETTINGS, *own}, f"load({config_name!r})")
        parse(language)
        self._named, self._language = config_name, language
        for setting, held, taken in (
            ("judge", judge, _JUDGED),
            ("entailer", entailer, ("nic", "alignment")),
        ):
            if held is not None and _family(config_name) not in taken:
                raise UsageError(f"{config_name} takes no {setting}: {', '.join(taken)} do")
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

    def add_batch(self, *, predictions: Any = None, references: Any = None, **columns: Any) -> None:
        """Add predictions with what each is held against; none are no fault."""
        given = {"predictions": predictions, "references": references, **columns}
        held = checked(given, self._feature_names())
        if held["predictions"]:
            super().add_batch(**held)

    def add(self, *, prediction: Any = None, reference: Any = None, **columns: Any) -> None:
        """Add one prediction with what it is held against."""
        given = {"predictions": prediction, "references": reference, **columns}
        listed = {name: None if one is None else [one] for name, one in given.items()}
        (held,) = zip(*checked(listed, self._feature_names()).values(), strict=True)
        row = dict(zip(self._feature_names(), held, strict=True))
        against = {"reference": row.pop("references")} if "references" in row else {}
        super().add(prediction=row.pop("predictions"), **against, **row)

    def compute(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> Any:
        """The means over all that was added and is given here (`metrics.means.means`).

        Raises `UsageError` for what it does not take, and where there is nothing to score.
        """
        known = [*self._feature_names(), "language", "per_item"]
        known += ["document_languages"] if "documents" in known else []
        for name in kwargs:
            if name not in known:
                raise UsageError(
                    f"{name!r} is not taken here: this metric takes {', '.join(known)}"
                )
        return super().compute(predictions=predictions, references=references, **kwargs)

    def _finalize(self) -> None:
        if self.writer is None and self.num_process == 1:
            raise UsageError("nothing to score: give predictions first")
        super()._finalize()

    def _compute(  # noqa: PLR0917  # evaluate hands each over by name
        self,
        predictions: Sequence[str],
        references: Sequence[str | Sequence[str]] | None = None,
        documents: Sequence[Sequence[str]] | None = None,
        conflicts: Sequence[Sequence[str]] | None = None,
        language: str | Sequence[str] | None = None,
        document_languages: str | Sequence[str | Sequence[str]] | None = None,
        per_item: bool = False,
    ) -> dict[str, Any]:
        ids = [str(place) for place in range(len(predictions))]
        counts = [len(held) for held in documents or ()]
        of_documents = document_codes(document_languages, UNKNOWN, counts)
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
                    references=tuple(references[place]) if references is not None else (),
                    documents=(
                        _documents(documents[place], of_documents[place])
                        if documents is not None
                        else ()
                    ),
                )
                for place, (name, text, code) in enumerate(
                    zip(ids, predictions, codes(language, self._language, len(ids)), strict=True)
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
    if against == "documents":
        lines.append("document_languages: of the documents, a code or for each prediction a list")
    return "\n".join([*lines, "per_item: also each prediction's value and note"])


def _documents(texts: Sequence[str], languages: Sequence[str]) -> tuple[Document, ...]:
    return tuple(
        Document(id=str(place), text=text, language=language)
        for place, (text, language) in enumerate(zip(texts, languages, strict=True), 1)
    )
