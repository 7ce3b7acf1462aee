"""What int8 and joint judging gain over one pair at a time in fp32, on this processor.

``python tests/benchmarks/bench_entailment.py`` prints a Markdown table.  The model is a T5 of
the size named with ``--width`` and ``--layers``, with random weights: its verdicts mean nothing,
its time is that of a trained one of the same size.  Ways are timed in turn, ``--rounds`` times,
and the medians compared, so that other work on the machine meets all alike.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from metrics.entailment import Entailer, Pair, true_t5
from metrics.entailment.loading import Weights

WORDS = 2000


def planted(folder: Path, width: int, layers: int) -> None:
    """A T5 with random weights and a tokenizer of whole words."""
    import tokenizers
    import torch
    import transformers

    marks = ["<pad>", "</s>", "<unk>", "0", "1", "premise", ":", "hypothesis", "."]
    names = [*marks, *(f"w{number}" for number in range(WORDS))]
    vocabulary = {word: place for place, word in enumerate(names)}
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    inner.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    inner.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    fast: Any = transformers.PreTrainedTokenizerFast
    fast(
        tokenizer_object=inner, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config: Any = transformers.T5Config
    model = transformers.T5ForConditionalGeneration(
        config(
            vocab_size=len(names),
            d_model=width,
            d_kv=64,
            d_ff=4 * width,
            num_layers=layers,
            num_heads=width // 64,
            decoder_start_token_id=0,
        )
    )
    model.save_pretrained(folder)


def pairs(premises: int, hypotheses: int) -> list[Pair]:
    """Each premise of 200 words with several hypotheses of 15."""
    random = Random(0)

    def text(words: int) -> str:
        return " ".join(f"w{random.randrange(WORDS)}" for _ in range(words)) + " ."

    told = [text(15) for _ in range(hypotheses)]
    return [
        Pair(premise=premise, hypothesis=one, premise_language="en", hypothesis_language="en")
        for premise in [text(200) for _ in range(premises)]
        for one in told
    ]


def one_by_one(entailer: Entailer, held: Sequence[Pair]) -> None:
    for pair in held:
        entailer.entails([pair])


def jointly(entailer: Entailer, held: Sequence[Pair]) -> None:
    entailer.entails(held)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--premises", type=int, default=4)
    parser.add_argument("--hypotheses", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1, help="two contend on a busy machine (1)")
    options = parser.parse_args()
    import torch

    torch.set_num_threads(options.threads)
    with tempfile.TemporaryDirectory() as folder:
        planted(Path(folder), options.width, options.layers)
        exact = true_t5(Weights(model=folder))
        small = true_t5(Weights(model=folder, precision="int8"))
        held = pairs(options.premises, options.hypotheses)
        ways: dict[str, tuple[Entailer, Callable[[Entailer, Sequence[Pair]], None]]] = {
            "fp32, one pair at a time": (exact, one_by_one),
            "fp32, jointly": (exact, jointly),
            "int8, one pair at a time": (small, one_by_one),
            "int8, jointly": (small, jointly),
        }
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        exact.entails(held[:2])
        small.entails(held[:2])
        for _ in range(options.rounds):
            for name, (entailer, judge) in ways.items():
                begun = time.perf_counter()
                judge(entailer, held)
                seconds[name].append(time.perf_counter() - begun)
    first = median(seconds["fp32, one pair at a time"])
    print("| way | seconds, median | times as fast |\n| --- | ---: | ---: |")
    for name, some in seconds.items():
        print(f"| {name} | {median(some):.2f} | {first / median(some):.2f} |")
    print(f"\n{options.layers} layers of width {options.width}, {options.threads} threads")
    print(f"{len(held)} pairs")


if __name__ == "__main__":
    main()
