"""PINE inside a `transformers` model: its attention interface, and what reaches it.

Tried with transformers 4.57 and 5.24.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from inspect import signature
from typing import TYPE_CHECKING, Any

from globesumm.errors import UsageError
from globesumm.llm.pine.first_pass import FirstPass
from globesumm.llm.pine.layout import Layout
from globesumm.llm.pine.reach import Index, Reach
from globesumm.llm.pine.rotation import Rotation

if TYPE_CHECKING:
    from torch import Tensor

INTERFACE = "globesumm_pine"
"""The name in the library's table of attention functions (``attn_implementation``)."""

FAMILIES = ("llama", "mistral", "qwen2", "qwen3")
"""Values of `model_type` whose attention is known to be what PINE replaces."""

POSITIONS = ("default", "linear", "llama3", "yarn")
"""Kinds of rotary positions whose angles do not depend on how long the prompt is."""


class Pine:
    """A causal language model of `transformers` that can run under PINE.

    Raises `UsageError` for a family or a kind of positions that is not supported.
    """

    def __init__(self, model: Any) -> None:
        check_family(model.config)
        self.model, self._decoder = model, model.get_decoder()
        self._rotation = Rotation(_rotary(self._decoder))
        named = signature(self._decoder.forward).parameters
        self._cache_name = "cache" if "cache" in named else "past_key_values"
        _register()

    @contextmanager
    def arranged(self, layouts: Sequence[Layout]) -> Iterator[None]:
        """Within, `model` runs under PINE on one batch, a layout for each row.

        Rows are padded on the left, with an `attention_mask` that says so.  The first call sees
        the whole prompts (and perhaps what follows them), later ones with its cache what was
        generated.  The model is as before afterwards.
        """
        passes = _Passes(layouts, self._rotation)
        before = self.model.config._attn_implementation  # noqa: SLF001
        hook = self._decoder.register_forward_pre_hook(
            lambda _, given, named: self._prepared(passes, given, named), with_kwargs=True
        )
        self.model.set_attn_implementation(INTERFACE)
        try:
            yield
        finally:
            hook.remove()
            self.model.set_attn_implementation(before)

    def _prepared(
        self, passes: "_Passes", given: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What the decoder is called with: states come to attention at position 0, not turned."""
        import torch

        tokens = named.get("input_ids", given[0] if given else None)
        tokens = named["inputs_embeds"][..., 0] if tokens is None else tokens
        caches = [named.pop(name, None) for name in ("cache", "past_key_values")]
        cache = next((found for found in caches if found is not None), None)
        known = 0 if cache is None else int(cache.get_seq_length())
        if not known:
            cache = _fresh_cache() if named.get("use_cache", True) is not False else None
        named[self._cache_name] = cache
        passes.begin(tokens, known, named.get("attention_mask"), self.model.dtype)
        named["position_ids"] = torch.zeros_like(tokens, dtype=torch.long)
        named["attention_mask"] = None
        named["pine"] = passes
        return given, named


def check_family(config: Any) -> None:
    """Raises `UsageError` where PINE does not know the attention of a model with `config`."""
    kind = str(getattr(config, "model_type", None))
    if kind not in FAMILIES:
        raise UsageError(
            f"PINE does not support models of type {kind!r}; it supports {', '.join(FAMILIES)} "
            "(transformers:NAME runs any, with the usual attention)"
        )


def _rotary(decoder: Any) -> Any:
    rotary = decoder.rotary_emb
    kind = str(getattr(rotary, "rope_type", "default"))
    if kind not in POSITIONS:
        raise UsageError(
            f"PINE does not support rotary positions of type {kind!r}; it supports "
            f"{', '.join(POSITIONS)}: take a model with one of them"
        )
    return rotary


def _fresh_cache() -> Any:
    """A cache that forgets nothing: which keys lie in a sliding window depends on who asks."""
    from transformers import DynamicCache

    return DynamicCache()


def _register() -> None:
    from transformers import AttentionInterface

    AttentionInterface.register(INTERFACE, _attend)  # type: ignore[no-untyped-call,unused-ignore]


def _attend(
    module: Any,
    query: "Tensor",
    key: "Tensor",
    value: "Tensor",
    _mask: Any,
    *,
    scaling: float,
    pine: "_Passes | None" = None,
    sliding_window: int | None = None,
    **_: Any,
) -> tuple["Tensor", None]:
    """The library's interface: states (B, heads, tokens, size) in, (B, tokens, heads, size) out."""
    if pine is None:
        raise RuntimeError("a model runs under PINE only within Pine.arranged")
    found = pine.attend(module.layer_idx, query, key, value, scaling=scaling, window=sliding_window)
    return found.transpose(1, 2).contiguous(), None


class _Passes:
    """One batch, from its prompts to its last token; every layer asks it for attention."""

    def __init__(self, layouts: Sequence[Layout], rotation: Rotation) -> None:
        self._layouts, self._rotation = list(layouts), rotation
        self._pads: list[int] = []
        self._first: list[FirstPass] = []
        self._index: Index | None = None
        self._reaches: dict[int, Reach] = {}
        self._positions: Tensor | None = None

    def begin(self, tokens: "Tensor", known: int, mask: "Tensor | None", dtype: Any) -> None:
        """A pass over `tokens` (B, T) begins, with `known` tokens of each row in the cache."""
        import torch

        batch, count = tokens.shape
        if batch != len(self._layouts):
            raise ValueError(f"{batch} rows, and layouts for {len(self._layouts)}")
        like = torch.empty(0, dtype=dtype, device=tokens.device)
        self._rotation.reach(known + count, like)
        if not known:
            self._pads = _padding(mask, batch)
            self._index, self._reaches = None, {}
            self._first = [
                FirstPass(layout, count - pad, like)
                for layout, pad in zip(self._layouts, self._pads, strict=True)
            ]
            return
        if self._index is None:
            self._first = []
            rows = [layout.documents for layout in self._layouts]
            self._index = Index.of(rows, [known - pad for pad in self._pads], self._pads, like)
        pads = torch.tensor(self._pads, device=tokens.device)
        self._positions = known + torch.arange(count, device=tokens.device) - pads[:, None]

    def attend(
        self,
        layer: int,
        query: "Tensor",
        key: "Tensor",
        value: "Tensor",
        *,
        scaling: float,
        window: int | None,
    ) -> "Tensor":
        import torch

        if self._first:
            found = torch.zeros_like(query)
            for row, (first, pad) in enumerate(zip(self._first, self._pads, strict=True)):
                found[row, :, pad:] = first.attend(
                    query[row, :, pad:],
                    key[row, :, pad:],
                    value[row, :, pad:],
                    rotation=self._rotation,
                    scaling=scaling,
                    window=window,
                )
            return found
        new = query.shape[2]
        if self._index is None or self._positions is None:
            raise RuntimeError("attention was asked for before a pass began")
        if layer not in self._reaches:
            held = (key[:, :, :-new], value[:, :, :-new])
            self._reaches[layer] = Reach(self._index, *held, self._rotation)
        reach = self._reaches[layer]
        reach.extend(key[:, :, -new:], value[:, :, -new:], self._positions)
        return reach.attend(query, self._positions, scaling, window)


def _padding(mask: "Tensor | None", batch: int) -> list[int]:
    """Tokens of padding before each row; raises `ValueError` for padding elsewhere."""
    if mask is None:
        return [0] * batch
    if mask.dim() != 2:
        raise ValueError("PINE needs an attention mask of the form (rows, tokens)")
    pads: list[int] = (mask == 0).sum(dim=1).tolist()
    if any(bool((mask[row, :pad] != 0).any()) for row, pad in enumerate(pads)):
        raise ValueError("PINE needs rows that are padded on the left")
    return pads
