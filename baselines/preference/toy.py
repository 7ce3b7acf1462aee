"""A toy model: a Llama of a few hundred kilobytes with words of its own, made in seconds.

It writes short lines of random words, which is enough for every stage of preference tuning to
run on a processor and for a preference to be learnt; it says nothing about summaries.

    python -m baselines.preference.toy FOLDER
"""

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from globesumm.text.words import words

FILLER = (
    "apple",
    "basket",
    "candle",
    "drum",
    "eagle",
    "feather",
    "garden",
    "hammer",
    "island",
    "jacket",
    "kettle",
    "ladder",
    "mirror",
    "needle",
    "orange",
    "pencil",
    "quilt",
    "ribbon",
    "saddle",
    "tunnel",
    "umbrella",
    "violin",
    "window",
    "yarn",
    "zipper",
    "anchor",
    "blanket",
    "copper",
    "dolphin",
    "engine",
)
"""Words that no report has."""

TEMPLATE = (
    "{% for m in messages %}<{{ m.role }}> {{ m.content }}{% if m.role == 'assistant' %} </s>"
    "{% endif %} {% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}"
)
WORDS_A_LINE = 9
"""Always as many: else the length of a draft, and not its words, would decide what it is worth."""

_SPECIAL = ["<unk>", "</s>", "<pad>", "<user>", "<assistant>", "<system>"]


def make(
    folder: Path, topical: Sequence[str], *, seed: int = 0, steps: int = 150, longest: int = 300
) -> Path:
    """A model in `folder` that writes lines of words from `topical` and `FILLER`, half of each.

    `steps` of plain training, after prompts of up to `longest` words, teach it to write lines of
    `WORDS_A_LINE` words and to stop.
    """
    import torch
    import transformers

    tokenizer = _tokenizer([*dict.fromkeys(topical), *FILLER])
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=48, intermediate_size=96, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=4096,
        bos_token_id=1, eos_token_id=1, pad_token_id=2,
    )  # fmt: skip
    model = transformers.LlamaForCausalLM(config)
    draw = random.Random(seed)  # noqa: S311  (toy texts)
    _teach(model, tokenizer, list(topical), draw, steps=steps, longest=longest)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _tokenizer(known: Sequence[str]) -> Any:
    import transformers
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

    vocabulary = {word: at for at, word in enumerate(dict.fromkeys([*_SPECIAL, *known]))}
    made: Any = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))  # noqa: S106
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.decoder = decoders.WordPiece(prefix="##", cleanup=False)
    tokenizer: Any = transformers.PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=made,
        unk_token="<unk>",  # noqa: S106
        eos_token="</s>",  # noqa: S106
        pad_token="<pad>",  # noqa: S106
        additional_special_tokens=["<user>", "<assistant>", "<system>"],
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def _teach(
    model: Any,
    tokenizer: Any,
    topical: list[str],
    draw: random.Random,
    *,
    steps: int,
    longest: int,
) -> None:
    import torch

    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    known = [*topical, *FILLER]
    model.train()
    for _ in range(steps):
        lines, labels = [], []
        before = [draw.choice((*known, "zz")) for _ in range(draw.randrange(2, longest))]
        for _ in range(16):
            answer = [
                draw.choice(topical if draw.random() < 0.5 else FILLER) for _ in range(WORDS_A_LINE)
            ]
            prompt = tokenizer.encode(" ".join(["<user>", *before, "<assistant>"]))
            ids = tokenizer.encode(" ".join([*answer, "</s>"]))
            lines.append([*prompt, *ids])
            labels.append([*[-100] * len(prompt), *ids])
        width = max(map(len, lines))
        given = torch.tensor([one + [2] * (width - len(one)) for one in lines])
        wanted = torch.tensor([one + [-100] * (width - len(one)) for one in labels])
        loss = model(input_ids=given, labels=wanted).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()


def topical_words() -> list[str]:
    """The words that most sides of the topics that come with the package have, in English."""
    from collections import Counter

    from baselines.perspectives import samples
    from baselines.perspectives.values import each_side

    counts = Counter(
        word
        for _, side in each_side(samples.load_all())
        for word in {
            word
            for document in side.documents
            if document.language == "en"
            for word in words(document.text, "en")
            if word.isalpha()
        }
    )
    return [word for word, _ in sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:24]]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m baselines.preference.toy FOLDER")
    make(Path(sys.argv[1]), topical_words())
    print(f"{sys.argv[1]}: a toy model, for trying what preference tuning does")  # noqa: T201
