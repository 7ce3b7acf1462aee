"""The options that name a model, and the author they make; shared by the verbs that ask models."""

import argparse
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from annotation.author import Author
from globesumm.errors import UsageError
from globesumm.finite import counted
from globesumm.llm.answer_bounds import Bounds
from globesumm.llm.backends import OpenedModel, open_model
from globesumm.llm.metered import Caps, Meter, Totals, read_prices
from globesumm.llm.request import Decoding
from globesumm.llm.stored import Replay
from globesumm.prompts import Library

SECONDS_BETWEEN_LOOKS = 0.5


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Options about which model, how it is asked, and how much it may cost."""
    group = parser.add_argument_group("models (needed by the recipes direct and protocol)")
    group.add_argument(
        "--model",
        metavar="NAME",
        help="extractive (no model; the default), gpt-4o, a name at --base-url, "
        "transformers:NAME, pine:NAME or a model folder",
    )
    group.add_argument("--base-url", metavar="URL", help="of an OpenAI-compatible server")
    group.add_argument("--key-variable", metavar="NAME", help="environment variable with its key")
    group.add_argument("--temperature", type=float, default=0.0, help="(0)")
    group.add_argument("--max-tokens", type=int, metavar="N", help="of one answer")
    group.add_argument("--reasoning", metavar="HOW", help="off, low, medium, high, or tokens")
    group.add_argument("--context-window", type=int, metavar="N", help="tokens, if not known")
    group.add_argument("--tokenizer", metavar="NAME", help="counts tokens before a call is made")
    group.add_argument(
        "--overrun",
        choices=("refuse", "trim"),
        default="refuse",
        help="documents past the window: fail, or shorten all alike (refuse)",
    )
    group.add_argument("--prompts", type=Path, metavar="FOLDER", help="prompts of your own")
    group.add_argument("--plain", action="store_true", help="do not ask servers for JSON schemas")
    group.add_argument(
        "--bounded",
        metavar="ITEMSxCHARACTERS",
        help="for weak models: lists so long at most, of strings so long in the right script "
        "(8x80), so that each answer can be used; its server must keep forms",
    )
    group.add_argument("--at-once", type=int, default=8, metavar="N", help="calls in flight (8)")
    group.add_argument("--timeout", type=float, metavar="SECONDS", help="of one call")
    group.add_argument("--prices", type=Path, metavar="FILE.toml", help="what tokens cost")
    group.add_argument("--most-calls", type=int, metavar="N", help="stop the run there")
    group.add_argument("--most-tokens", type=int, metavar="N", help="stop the run there")
    group.add_argument("--most-spend", type=float, metavar="AMOUNT", help="stop the run there")


def opened(
    options: argparse.Namespace, store: Path | None = None, meter: Meter | None = None
) -> OpenedModel:
    """The model that the options name; with `store` every call is kept there and never repeated.

    A `meter` counts its calls with those of another model, whose caps then hold for both.
    """
    priced = read_prices(options.prices) if options.prices and meter is None else None
    caps = Caps(calls=options.most_calls, tokens=options.most_tokens, spend=options.most_spend)
    return open_model(
        options.model,
        options.base_url,
        store=store,
        most_at_once=options.at_once,
        prices=priced,
        caps=caps if meter is None else None,
        meter=meter,
        timeout_seconds=options.timeout,
        key_variable=options.key_variable,
        context_window=options.context_window,
        tokenizer=options.tokenizer,
    )


def unopened(options: argparse.Namespace) -> OpenedModel:
    """The model by name alone, which answers nothing: a plan needs no key and no server."""
    return open_model(Replay(options.model))


def author(options: argparse.Namespace, model: OpenedModel, seed: int) -> Author:
    """Who writes: the model with the prompts and the decoding of the options."""
    reasoning = options.reasoning
    return Author(
        model=model,
        prompts=Library(options.prompts) if options.prompts else Library(),
        decoding=Decoding(
            temperature=options.temperature,
            max_tokens=options.max_tokens,
            seed=seed,
            reasoning=int(reasoning) if reasoning and reasoning.isdigit() else reasoning,
        ),
        structured=not options.plain,
        overrun=options.overrun,
        bounds=bounds_of(options),
    )


def bounds_of(options: argparse.Namespace) -> Bounds | None:
    """The bounds that the options name, if any; raises `UsageError`."""
    if options.bounded is None:
        return None
    if options.plain:
        raise UsageError("--bounded narrows forms that servers enforce: leave --plain out")
    return Bounds.parse(options.bounded)


def with_model(writer: Author, model: OpenedModel) -> Author:
    """The same author with another opening of its model."""
    return replace(writer, model=model)


@contextmanager
def watching(model: OpenedModel, planned: int) -> Iterator[None]:
    """Show calls made of those planned, answers from the store, tokens and spend, on stderr."""
    from tqdm import tqdm

    live = sys.stderr.isatty()
    bar = tqdm(
        total=planned, desc="calls", file=sys.stderr, unit="",
        mininterval=0.2 if live else 15.0, dynamic_ncols=live,
    )  # fmt: skip
    ended = threading.Event()

    def show() -> None:
        totals = model.totals
        bar.set_postfix_str(spent(totals), refresh=False)
        bar.update(totals.calls - totals.failed + totals.hits - bar.n)

    def look() -> None:
        while not ended.wait(SECONDS_BETWEEN_LOOKS):
            show()

    thread = threading.Thread(target=look, daemon=True, name="progress")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        show()
        bar.close()


def spent(totals: Totals) -> str:
    """Calls, hits, tokens and spend in one line; what is not known is said to be so."""
    parts = [f"{counted(totals.calls, 'call')}", f"{totals.hits} from the store"]
    if totals.failed:
        parts.append(f"{totals.failed} failed")
    parts.append(f"{counted(totals.tokens, 'token')}")
    if totals.uncounted:
        parts.append(f"{counted(totals.uncounted, 'call')} uncounted")
    if totals.unpriced:
        known = f"{totals.spend:.4f} + " if totals.spend else ""
        parts.append(f"spend {known}unknown for {counted(totals.unpriced, 'call')}")
    elif totals.calls:
        parts.append(f"spend {totals.spend:.4f}")
    return ", ".join(parts)
