"""What is known of a model from its configuration alone, without reading its weights."""

from pathlib import Path
from typing import Any

from globesumm.llm.model_files import weights_folder
from globesumm.llm.pretrained import opened


def stored_dtype(folder: Path) -> str:
    """The number type of a model's files (``bfloat16``), float32 where they do not say."""
    from transformers import AutoConfig

    config: Any = opened(AutoConfig, folder)
    return str(getattr(config, "dtype", None) or "float32").removeprefix("torch.")


def parameters_of(folder: Path) -> dict[str, int]:
    """Numbers that the size of a model follows from, read from its configuration alone.

    `parameters` counts all weights, `layers`, `hidden`, `vocabulary`, `heads`, `key_heads` and
    `head` (the width of one) are what estimates need; no weights are read.
    """
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    config: Any = opened(AutoConfig, weights_folder(folder))
    with torch.device("meta"):
        make: Any = AutoModelForCausalLM.from_config
        model = make(config, trust_remote_code=False)
    heads = config.num_attention_heads
    return {
        "parameters": sum(one.numel() for one in model.parameters()),
        "layers": config.num_hidden_layers,
        "hidden": config.hidden_size,
        "intermediate": config.intermediate_size,
        "vocabulary": config.vocab_size,
        "heads": heads,
        "key_heads": getattr(config, "num_key_value_heads", None) or heads,
        "head": getattr(config, "head_dim", None) or config.hidden_size // heads,
        "window": getattr(config, "max_position_embeddings", 0) or 0,
    }
