"""How many documents it takes to see a preference of a given size: simulated, not assumed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from metrics.bias.effects import Case, effects

LEVEL = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A synthetic study.

    Each of `events` events has `documents` documents in languages drawn from `languages`, and
    a summary of `sentences` sentences.  A document entails each sentence with its own chance,
    around `rate`; for languages in `ignored` the chance is multiplied by `left` (1: a fair
    summarizer, 0: one that never draws on them).
    """

    events: int
    documents: int = 12
    languages: tuple[str, ...] = ("en", "es", "fr", "de", "ru", "tr", "ar", "he", "hi", "el")
    ignored: tuple[str, ...] = ("he", "hi", "el")
    rate: float = 0.3
    left: float = 0.0
    sentences: int = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """Over `trials` studies: mean documents of an ignored language, the share of studies that
    found any language different, the share of ignored languages found, and the share of studies
    that accused some language which was treated fairly.
    """

    setting: Setting
    documents_each: float
    found_any: float
    found_each: float | None
    accused: float
    trials: int


def simulated(setting: Setting, seed: int) -> Iterator[Case]:
    """The cases of one synthetic study."""
    generator = np.random.default_rng(seed)
    for event in range(setting.events):
        languages = generator.choice(setting.languages, size=setting.documents)
        rates = generator.beta(setting.rate * 8, (1 - setting.rate) * 8, size=setting.documents)
        for language, rate in zip(languages, rates, strict=True):
            chance = rate * (setting.left if language in setting.ignored else 1.0)
            kept = generator.binomial(setting.sentences, chance)
            yield Case(block=f"{event:04}", language=str(language), value=kept / setting.sentences)


def power(
    setting: Setting,
    *,
    trials: int = 50,
    permutations: int = 399,
    seed: int = 0,
    study: Callable[[Setting, int], Iterator[Case]] = simulated,
) -> Power:
    """What the test finds in `trials` synthetic studies, at an adjusted level of .05."""
    any_found, accused, documents = 0, 0, 0
    each: list[bool] = []
    ignored: Sequence[str] = setting.ignored if setting.left < 1 else ()
    for trial in range(trials):
        cases = list(study(setting, seed * 100_003 + trial))
        result = effects(cases, permutations=permutations, resamples=0, seed=trial)
        any_found += result.p_any is not None and result.p_any < LEVEL
        under = {
            one.language: one.p_adjusted is not None
            and one.p_adjusted < LEVEL
            and (one.difference or 0) < 0
            for one in result.languages
        }
        each += [under.get(language, False) for language in ignored]
        accused += any(found for code, found in under.items() if code not in ignored)
        documents += sum(case.language in setting.ignored for case in cases)
    return Power(
        setting=setting,
        documents_each=documents / trials / max(1, len(setting.ignored)),
        found_any=any_found / trials,
        found_each=sum(each) / len(each) if each else None,
        accused=accused / trials,
        trials=trials,
    )
