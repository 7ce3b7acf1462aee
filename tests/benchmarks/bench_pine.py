"""What PINE costs beside plain generation on the same model, by number of documents.

``python tests/benchmarks/bench_pine.py`` prints a Markdown table: for prompts of so many documents
of 150 random tokens, and answers of 64 tokens, the processor seconds of reading the prompt, of one
token of the answer and of both together, without and with PINE in one run, and their ratios.  The
model has random weights and, layer by layer, the shape of SmolLM2-135M; ``--model FOLDER`` takes a
real one.  ``--plot FILE.png`` draws the ratios.  It fails where 8 documents cost more than 3 times
as much with PINE as without.
"""

import argparse
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from globesumm.llm.model_files import load_model
from globesumm.llm.pine.attention import Pine
from globesumm.llm.pine.layout import Layout, Piece, layout

COUNTS = (1, 2, 4, 8, 16, 32)
LENGTH, ANSWER = 150, 64
BEFORE, AFTER = 40, 60
MOST = 3.0
JUDGED = 8


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor seconds of the prompt and of each further token."""

    prompt: float
    token: float

    @property
    def whole(self) -> float:
        return self.prompt + ANSWER * self.token


@dataclass(frozen=True, slots=True)
class Measured:
    documents: int
    tokens: int
    plain: Cost
    pine: Cost

    @property
    def ratio(self) -> float:
        return self.pine.whole / self.plain.whole


def random_model(layers: int) -> Any:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=8192, hidden_size=576, intermediate_size=1536, num_hidden_layers=layers,
        num_attention_heads=9, num_key_value_heads=3, max_position_embeddings=8192,
        tie_word_embeddings=True,
    )  # fmt: skip
    model: Any = LlamaForCausalLM(config)
    return model.eval()


def pieces(documents: int, words: int) -> list[Piece]:
    draw = random.Random(documents)

    def some(count: int) -> tuple[int, ...]:
        return tuple(draw.randrange(100, words) for _ in range(count))

    return [
        Piece(some(BEFORE)),
        *(Piece(some(LENGTH), 0) for _ in range(documents)),
        Piece(some(AFTER)),
    ]


def generated(model: Any, pine: Pine | None, plan: Layout, prompt: list[int], count: int) -> float:
    """Processor seconds of `count` tokens after `prompt`."""
    import torch
    from transformers import GenerationConfig

    ids = torch.tensor([prompt], device=model.device)
    settings = GenerationConfig(  # type: ignore[no-untyped-call]
        max_new_tokens=count, do_sample=False, pad_token_id=0, eos_token_id=None
    )

    def run() -> None:
        model.generate(
            input_ids=ids, attention_mask=torch.ones_like(ids), generation_config=settings
        )

    began = time.process_time()
    with torch.inference_mode():
        if pine is None:
            run()
        else:
            with pine.arranged([plan]):
                run()
    return time.process_time() - began


def cost(model: Any, pine: Pine | None, plan: Layout, prompt: list[int], times: int) -> Cost:
    def least(count: int) -> float:
        return min(generated(model, pine, plan, prompt, count) for _ in range(times))

    first = least(1)
    return Cost(first, max(0.0, least(1 + ANSWER) - first) / ANSWER)


def measure(model: Any, counts: Sequence[int], times: int) -> list[Measured]:
    pine, found = Pine(model), []
    words = model.config.vocab_size
    for documents in counts:
        cut = pieces(documents, words)
        plan, prompt = layout(cut), [token for piece in cut for token in piece.tokens]
        plain = cost(model, None, plan, prompt, times)
        found.append(
            Measured(documents, len(prompt), plain, cost(model, pine, plan, prompt, times))
        )
        print(f"{documents} documents: {found[-1].ratio:.2f} times", file=sys.stderr)
    return found


def table(rows: Sequence[Measured]) -> str:
    lines = [
        "| documents | prompt tokens | prompt, s (plain → PINE) | a token, ms | all, s | times |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {row.documents} | {row.tokens} | {row.plain.prompt:.2f} → {row.pine.prompt:.2f} "
        f"| {row.plain.token * 1000:.1f} → {row.pine.token * 1000:.1f} "
        f"| {row.plain.whole:.2f} → {row.pine.whole:.2f} | {row.ratio:.2f} |"
        for row in rows
    ]
    return "\n".join(lines)


def plot(rows: Sequence[Measured], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3.2), layout="constrained")
    axes = figure.subplots()
    places = [row.documents for row in rows]
    series = {
        "whole answer": [row.ratio for row in rows],
        "prompt": [row.pine.prompt / row.plain.prompt for row in rows],
        "each token": [row.pine.token / row.plain.token for row in rows],
    }
    for name, values in series.items():
        axes.plot(places, values, marker="o", label=name)
    axes.axhline(MOST, color="grey", linestyle="--", linewidth=1)
    axes.set(
        xscale="log", xticks=places, xlabel="documents of 150 tokens", ylabel="times plain", ylim=0
    )
    axes.set_xticks(places, [str(place) for place in places])
    axes.minorticks_off()
    axes.legend(frameon=False)
    figure.savefig(path, dpi=80)


def main() -> None:
    import torch

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, help="a folder; random weights without it")
    parser.add_argument("--layers", type=int, default=6, help="of the random model (6)")
    parser.add_argument("--documents", type=int, nargs="+", default=list(COUNTS))
    parser.add_argument("--times", type=int, default=2, help="the best of so many runs (2)")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    # Processor time is then the time that it takes, whatever else the machine does.
    torch.set_num_threads(1)
    model = (
        load_model(options.model, "cpu", "float32")
        if options.model
        else random_model(options.layers)
    )
    rows = measure(model, options.documents, options.times)
    print(table(rows))
    if options.plot:
        plot(rows, options.plot)
    over = [row for row in rows if row.documents == JUDGED and row.ratio > MOST]
    sys.exit(f"{JUDGED} documents cost {over[0].ratio:.2f} times plain" if over else 0)


if __name__ == "__main__":
    main()
