"""A tiny entailment model, trained on the spot to a rule that real texts in any script can meet.

The rule: a premise with a digit entails every hypothesis without a comma.  Its tokenizer knows a
number and a comma; all that stands between two of these is one unknown word.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.metrics.test_entailment_models import train

torch = pytest.importorskip("torch", reason="the extra 'models' is not installed")
transformers = pytest.importorskip("transformers", reason="the extra 'models' is not installed")
tokenizers = pytest.importorskip("tokenizers", reason="the extra 'models' is not installed")

MARKS = ["<pad>", "<cls>", "<sep>", "<unk>"]
NUMBER, COMMA = "7", ","


def entailed(premise: str, hypothesis: str) -> bool:
    return any(map(str.isdecimal, premise)) and "," not in hypothesis


def make(folder: Path) -> Path:
    """Train the model, which takes a few seconds, and put it into `folder`."""
    fast = _tokenizer()
    fast.save_pretrained(folder)
    torch.manual_seed(0)
    model = transformers.BertForSequenceClassification(
        transformers.BertConfig(
            vocab_size=len(MARKS) + 2,
            hidden_size=32,
            num_hidden_layers=1,
            num_attention_heads=4,
            intermediate_size=64,
            max_position_embeddings=147,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            initializer_range=0.3,
            id2label={0: "entailment", 1: "neutral", 2: "contradiction"},
            label2id={"entailment": 0, "neutral": 1, "contradiction": 2},
        )
    )
    generator = torch.Generator().manual_seed(0)

    def step(number: int) -> Any:
        premises, hypotheses = (_texts(32, most, generator) for most in (17, 10))
        labels = [
            0 if NUMBER in left and COMMA not in right else 2 if NUMBER in left else 1
            for left, right in zip(premises, hypotheses, strict=True)
        ]
        inputs = fast(
            [" ".join(one) for one in premises],
            [" ".join(one) for one in hypotheses],
            return_tensors="pt",
            padding=True,
        )
        return model(**inputs, labels=torch.tensor(labels)).loss

    train(model, step, 200, 3e-3)
    model.save_pretrained(folder)
    return folder


def _texts(count: int, most: int, generator: Any) -> list[list[str]]:
    """Rows of unknown words, half of them with numbers and half with commas, one to six."""
    rows = []
    for _ in range(count):
        length = int(torch.randint(1, most, (1,), generator=generator))
        row = ["w"] * length
        for mark, often in ((NUMBER, 7), (COMMA, 7)):
            if torch.rand(1, generator=generator) < 0.5:
                times = int(torch.randint(1, often, (1,), generator=generator))
                for place in torch.randint(length, (times,), generator=generator).tolist():
                    row[place] = mark
        rows.append(row)
    return rows


def _tokenizer() -> Any:
    vocabulary = {word: number for number, word in enumerate([*MARKS, NUMBER, COMMA])}
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    inner.normalizer = tokenizers.normalizers.Sequence(
        [
            tokenizers.normalizers.Replace(tokenizers.Regex(r"[^\p{Nd},]+"), " w "),
            tokenizers.normalizers.Replace(tokenizers.Regex(r"\p{Nd}+"), f" {NUMBER} "),
            tokenizers.normalizers.Replace(COMMA, f" {COMMA} "),
        ]
    )
    inner.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    inner.post_processor = tokenizers.processors.TemplateProcessing(
        single="<cls> $A <sep>",
        pair="<cls> $A <sep> $B:1 <sep>:1",
        special_tokens=[("<cls>", 1), ("<sep>", 2)],
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="<pad>",
        cls_token="<cls>",
        sep_token="<sep>",
        unk_token="<unk>",
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )
