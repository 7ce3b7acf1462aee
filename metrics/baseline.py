"""BERTScore's baselines: what unrelated sentences score under one model and layer."""

import csv
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from globesumm.errors import MissingPackage, UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """Means of BERTScore over unrelated sentence pairs (Zhang et al., 2020, 3).

    A raw value x becomes (x - b) / (1 - b): about 0 for unrelated texts, 1 for equal ones, and
    not bounded below by -1.
    """

    precision: float
    recall: float
    f1: float

    def rescale(self, raw: float) -> float:
        """A raw F1 as a rescaled one; precision and recall have baselines of their own."""
        return (raw - self.f1) / (1 - self.f1)

    @classmethod
    def read(cls, path: Path, layer: int) -> "Baseline":
        """The row of `layer` in a file of bert-score's form (LAYER,P,R,F)."""
        try:
            with path.open(encoding="utf-8", newline="") as file:
                rows = {int(row["LAYER"]): row for row in csv.DictReader(file)}
            row = rows[layer]
            return cls(precision=float(row["P"]), recall=float(row["R"]), f1=float(row["F"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"no baseline for layer {layer} in {path}: "
                "choose another layer or file, or rescale with none"
            ) from error

    @classmethod
    def of(cls, model: str, layer: int, language: str = "en") -> "Baseline":
        """The baseline bert-score ships for a model named as on the hub."""
        spec = find_spec("bert_score")
        if spec is None or spec.origin is None:
            raise MissingPackage("bert-score", "BERTScore's baselines", "models")
        folder = Path(spec.origin).parent / "rescale_baseline" / language
        return cls.read(folder / f"{model}.tsv", layer)


DEBERTA_XLARGE_MNLI_40 = Baseline(precision=0.5169066, recall=0.5170288, f1=0.5150192)
"""English, microsoft/deberta-xlarge-mnli, layer 40: the paper's backbone and rescaling."""
