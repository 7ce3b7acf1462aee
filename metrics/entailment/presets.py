"""Entailers by name: the stand-ins, and the models of ``globesumm/data/entailers.toml``."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from globesumm.errors import UnknownName, UsageError
from globesumm.llm.pretrained import commit_of, named
from globesumm.records import from_plain
from metrics.entailment.base import Entailer
from metrics.entailment.chunks import Unit
from metrics.entailment.classifier import ThreeWay, Value
from metrics.entailment.loading import Precision, Weights
from metrics.entailment.stand_ins import LexicalStandIn, VectorStandIn
from metrics.entailment.text_to_text import FORMS, TextToText

STAND_INS: Mapping[str, Callable[..., Entailer]] = {
    "lexical": LexicalStandIn,
    "vector": VectorStandIn,
}
"""Entailers that need no model of entailment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """How one published model is run; `languages` None: any."""

    kind: Literal["true-t5", "minicheck-t5", "unieval-consistency", "three-way", "none"]
    model: str
    needs: str
    source: str
    languages: tuple[str, ...] | None = None
    labels: dict[str, int] = field(default_factory=dict)
    unit: Unit = "packed"
    value: Value = "entailment"
    chunk_tokens: int | None = None
    threshold: float = 0.5


@cache
def presets() -> Mapping[str, Preset]:
    """Every preset by its name; nothing is loaded, and no hub is asked."""
    source = files("globesumm").joinpath("data", "entailers.toml")
    rows = tomllib.loads(source.read_text(encoding="utf-8"))
    return {name: from_plain(Preset, row, f"entailers.toml: {name}") for name, row in rows.items()}


def open_entailer(
    name: str,
    path: str | None = None,
    *,
    precision: Precision = "fp32",
    device: str | None = None,
    threshold: float | None = None,
    languages: frozenset[str] | None = None,
    download: bool = False,
) -> Entailer:
    """The entailer called `name`; its weights are read when it first judges.

    `name` is ``lexical``, ``vector`` or a preset; ``<kind>:<folder or hub name>`` runs any
    other model of a kind (``three-way:/models/mine``).  A preset and a hub name may bear a
    revision (``true@<commit>``); else it is the commit that the local cache has or, with
    `download`, the hub.  The revision is part of signatures.  `path` is a folder with the
    weights of a preset.  Without it they must be in the local cache, unless `download` allows
    the hub.
    `languages` replaces what the preset says the model reads.

    Raises `UnknownName`, and `UsageError` for what this package cannot run.
    """
    if name in STAND_INS:
        return STAND_INS[name]() if threshold is None else STAND_INS[name](threshold)
    preset, revision = _preset(name)
    if path is None and not Path(preset.model).is_dir() and preset.kind != "none":
        revision = revision or commit_of(preset.model, download=download)
    weights = Weights(
        model=preset.model,
        path=path,
        precision=precision,
        device=device,
        download=download,
        revision=None if path else revision,
    )
    tongues = languages or (None if preset.languages is None else frozenset(preset.languages))
    bound = preset.threshold if threshold is None else threshold
    if preset.kind == "none":
        raise UsageError(f"{name} cannot be run here: it needs {preset.needs}")
    if preset.kind == "three-way":
        return ThreeWay(
            weights,
            languages=tongues,
            threshold=bound,
            labels=preset.labels,
            value=preset.value,
            unit=preset.unit,
            chunk_tokens=preset.chunk_tokens,
        )
    form = FORMS[preset.kind]
    if preset.chunk_tokens:
        form = replace(form, chunk_tokens=preset.chunk_tokens)
    return TextToText(form, weights, languages=tongues, threshold=bound)


def _preset(name: str) -> tuple[Preset, str | None]:
    """How the model called `name` is run, and the revision that the name bears."""
    short, marked, revision = name.partition("@")
    if short in presets() and (revision.strip() or not marked):
        return presets()[short], revision or None
    kind, colon, place = name.partition(":")
    kinds = (*FORMS, "three-way")
    if colon and kind in kinds and place:
        place, stated = named(place)
        english = ("en",) if kind in FORMS else None
        given = {"kind": kind, "model": place, "needs": f"the model {place}", "source": "its user"}
        return from_plain(Preset, {**given, "languages": english}, name), stated
    known = (*STAND_INS, *presets(), *(f"{one}:{Path('FOLDER')}" for one in kinds))
    raise UnknownName("entailer", name, known)
