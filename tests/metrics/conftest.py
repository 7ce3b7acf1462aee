"""What the metric tests share: the folder of shared data, and a tiny encoder made on the spot."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of data that others made, named by GLOBESUMM_DATA."""
    folder = os.environ.get("GLOBESUMM_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("GLOBESUMM_DATA names no folder of shared data")
    return Path(folder)


@pytest.fixture(scope="session")
def tiny_deberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a DeBERTa-v2 encoder of 3 small layers, random weights, and its tokenizer.

    The tokenizer states no longest input, as those of real DeBERTa models.
    """
    torch = pytest.importorskip("torch", reason="the extra 'models' is not installed")
    transformers = pytest.importorskip("transformers", reason="needs the extra 'models'")
    tokenizers = pytest.importorskip("tokenizers", reason="needs the extra 'models'")
    folder = tmp_path_factory.mktemp("tiny-deberta")
    pieces = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
    pieces += [chr(code) for code in range(33, 127)]
    pieces += [f"##{chr(code)}" for code in range(97, 123)]
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(
            {piece: number for number, piece in enumerate(pieces)}, unk_token="[UNK]"
        )
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        unk_token="[UNK]",
        mask_token="[MASK]",
    ).save_pretrained(folder)
    torch.manual_seed(0)
    transformers.DebertaV2Model(
        transformers.DebertaV2Config(
            vocab_size=len(pieces),
            hidden_size=32,
            num_hidden_layers=3,
            num_attention_heads=4,
            intermediate_size=64,
            relative_attention=True,
            max_position_embeddings=512,
        )
    ).save_pretrained(folder)
    return folder
