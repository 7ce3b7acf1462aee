"""The tables of an experiment file: what is sliced, who writes and judges, where it stops."""

import math
import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

from globesumm.llm.answer_bounds import Bounds

Overrun = Literal["refuse", "trim"]

LONGEST_NAME = 200
"""Of a model's row: a label of tables and plots."""

MOST_SECONDS = 1e6
MOST_TOKENS = 10**9
MOST_AT_ONCE = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Which of the events read are used, and how much of each; unset takes all.

    `events` keeps the first n after filtering by `ids`, `categories` and the event's date
    (`since`, `until`, both days included); `documents` keeps each event's first n in time,
    after `languages` (codes) left others out.
    """

    events: int | None = None
    ids: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    documents: int | None = None
    languages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("events", "documents"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} is {value}: give a number from 1 up, or leave it out")
        if self.since and self.until and self.since > self.until:
            raise ValueError(
                f"since {self.since} is after until {self.until}: no day is in between"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """How models are asked (see `globesumm.llm.request.Decoding`); seeds come from `seeds`.

    `overrun` refuses documents past the context window, or trims each by the same share;
    `structured` asks servers to enforce the form of lists, and `bounded` narrows those forms.
    """

    temperature: float | None = 0.0
    top_p: float | None = None
    max_tokens: int | None = None
    overrun: Overrun = "refuse"
    structured: bool = True
    bounded: Bounds | None = None

    def __post_init__(self) -> None:
        if self.bounded and not self.structured:
            raise ValueError("bounded narrows forms that servers enforce: leave structured on")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """One model: `name` labels its cells, `model` is what the server calls it (default `name`).

    `model` may be ``transformers:NAME`` or ``scripted:FILE`` too.  Prices are per million tokens
    in the currency of the file's price list.  `provider`, `version`, `size`, `type` and `cutoff`
    (the last day of its training data, as its makers state it) are told in tables; `recipes`
    narrows the experiment's recipes for this model.  `batch` says that its server has a Batch
    API, through which then goes what has no order: pre-steps and judging.
    """

    name: str
    model: str | None = None
    base_url: str | None = None
    key_variable: str | None = None
    provider: str | None = None
    version: str | None = None
    size: str | None = None
    type: Literal["open", "proprietary"] | None = None
    context: int | None = None
    tokenizer: str | None = None
    reasoning: str | int | None = None
    cutoff: date | None = None
    input_per_million: float | None = None
    cached_input_per_million: float | None = None
    output_per_million: float | None = None
    at_once: int | None = None
    timeout_seconds: float | None = None
    seconds_per_call: float | None = None
    recipes: tuple[str, ...] = ()
    batch: bool = False

    def __post_init__(self) -> None:
        self._check_name()
        for text in ("model", "base_url", "tokenizer", "key_variable"):
            if (said := getattr(self, text)) is not None and not said.strip():
                raise ValueError(f"{text} is empty: fill it in, or leave it out")
        if self._parted[0] != "openai" and not self._parted[1].strip():
            raise ValueError(f"model is {self.served!r}: say behind the colon which one")
        if self.key_variable and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", self.key_variable):
            # What stands there may be the key itself, so it is not shown.
            raise ValueError(
                "key_variable is no name of an environment variable: put the key into one (for "
                "instance OPENAI_API_KEY) and give its name"
            )
        bounds = {
            "context": MOST_TOKENS,
            "at_once": MOST_AT_ONCE,
            "timeout_seconds": MOST_SECONDS,
            "seconds_per_call": MOST_SECONDS,
        }
        for name, most in bounds.items():
            value = getattr(self, name)
            if value is not None and not 0 < value <= most:
                raise ValueError(
                    f"{name} is {value}: give a number above 0 and at most {most:g}, or leave "
                    "it out"
                )
        prices = ("input_per_million", "output_per_million", "cached_input_per_million")
        for name in prices:
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise ValueError(f"{name} is {value}: a price is a number from 0 up")
        if (self.input_per_million is None) != (self.output_per_million is None):
            raise ValueError("input_per_million and output_per_million go together")
        if self.cached_input_per_million is not None and not self.priced:
            raise ValueError("cached_input_per_million needs input_per_million beside it")

    def _check_name(self) -> None:
        if not self.name.strip() or self.name.strip().casefold() == "no-model":
            raise ValueError(f"name is {self.name!r}: a model's row needs a name of its own")
        if not self.name.isprintable() or self.name != self.name.strip():
            raise ValueError(
                f"name is {self.name!r}: it labels tables and plots, so it holds only characters "
                "that can be seen, and no blanks around them"
            )
        if len(self.name) > LONGEST_NAME:
            raise ValueError(
                f"name has {len(self.name)} characters: a label has at most {LONGEST_NAME}"
            )

    @property
    def served(self) -> str:
        """What the backend or server calls the model."""
        return self.model or self.name

    @property
    def priced(self) -> bool:
        """Whether its prices are known."""
        return self.input_per_million is not None

    @property
    def asked_as(self) -> str:
        """The model's name in requests, by which the call store knows its answers."""
        backend, rest = self._parted
        return f"scripted:{Path(rest).name}" if backend == "scripted" else rest

    @property
    def in_process(self) -> bool:
        """Whether no server answers for it."""
        return self._parted[0] != "openai"

    @property
    def _parted(self) -> tuple[str, str]:
        backend, colon, rest = self.served.partition(":")
        named = colon and backend in ("openai", "transformers", "scripted")
        return (backend, rest) if named else ("openai", self.served)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreSteps:
    """Who carries out what comes before the merge (KIS, CLP, translation of documents).

    `model` names a row of ``[[models]]`` or ``[[helpers]]``; None lets every model prepare for
    itself.  With `carries` the list of each round's summary is that model's work too, so that the
    others write only summaries (the paper's scale study takes "the last step" from them).
    """

    model: str | None = None
    carries: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Who judges for `metrics`: ``nic``, ``cre``, ``llm-coverage``, ``llm-faithfulness``,
    ``alignment``.

    `model` names a row of ``[[models]]`` or ``[[helpers]]``; for NIC an `entailer` may take its
    place, and for alignment it does, by a name such as ``true`` or by ``KIND:FOLDER``, with its
    weights in `weights`.  `weighted` joins the digits that a rating might have been by their
    probabilities, where the server tells them.
    """

    model: str | None = None
    entailer: str | None = None
    weights: str | None = None
    metrics: tuple[str, ...] = ()
    weighted: bool = False

    def __post_init__(self) -> None:
        if (self.model is None) == (self.entailer is None):
            raise ValueError("a judge is either a model or an entailer: name one of them")
        if self.weights is not None and self.entailer is None:
            raise ValueError("weights are an entailer's: name it beside them")
        if not self.metrics:
            raise ValueError('metrics is empty: say what is judged, for instance ["cre"]')


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where a run is to stop; unset is no limit.  All but `seconds` cover the whole run.

    `failures` ends it after so many failed summaries, `failed_share` (0 to 1) once that share
    of at least 20 finished ones failed.  `at_once` bounds the calls in flight over all servers.
    """

    spend: float | None = None
    tokens: int | None = None
    calls: int | None = None
    seconds: float | None = None
    failures: int | None = None
    failed_share: float | None = None
    at_once: int = 8

    def __post_init__(self) -> None:
        for name in ("spend", "tokens", "calls", "seconds", "failures", "failed_share"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise ValueError(f"{name} is {value}: give a number from 0 up, or leave it out")
        if self.failed_share is not None and self.failed_share > 1:
            raise ValueError(f"failed_share is {self.failed_share}: give a share from 0 to 1")
        if not 1 <= self.at_once <= MOST_AT_ONCE:
            raise ValueError(f"at_once is {self.at_once}: give a number from 1 to {MOST_AT_ONCE}")
