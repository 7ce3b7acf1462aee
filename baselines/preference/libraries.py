"""The libraries that train, kept quiet and off the network, and memory given back."""

import gc
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


def release() -> None:
    """Give back the memory of models that are gone."""
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


@contextmanager
def quiet() -> Iterator[None]:
    """Libraries without their bars, hints and reports: the hub hears nothing of a training.

    trl reports each trainer that is made to the hub unless it is told that there is none.
    """
    import datasets
    import transformers
    from huggingface_hub import constants

    kept = constants.HF_HUB_OFFLINE, constants.HF_HUB_DISABLE_TELEMETRY
    level, bars = transformers.logging.get_verbosity(), datasets.are_progress_bars_disabled()
    showing = transformers.logging.is_progress_bar_enabled()
    others = [logging.getLogger(name) for name in ("accelerate", "trl", "peft")]
    levels = [one.level for one in others]
    constants.HF_HUB_OFFLINE = constants.HF_HUB_DISABLE_TELEMETRY = True
    transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    datasets.disable_progress_bars()
    for one in others:
        one.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        constants.HF_HUB_OFFLINE, constants.HF_HUB_DISABLE_TELEMETRY = kept
        transformers.logging.set_verbosity(level)
        if showing:
            transformers.logging.enable_progress_bar()  # type: ignore[no-untyped-call]
        if not bars:
            datasets.enable_progress_bars()
        for one, before in zip(others, levels, strict=True):
            one.setLevel(before)
