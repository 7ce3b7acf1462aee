"""Rotary positions by whole numbers, with the angles that the model itself computes."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor


class Rotation:
    """Turns queries and keys to positions.

    Turning by a and then by b is turning by a + b, and only the difference between the positions
    of a query and a key counts; so a key is turned once by its place within its document, and
    each query by its distance from where that document begins.

    `rotary` is the model's own module, asked for each whole position once.  Half-precision
    states are turned in float32.
    """

    def __init__(self, rotary: Any) -> None:
        self._rotary = rotary
        self._tables: tuple[Tensor, Tensor] | None = None

    def turn(self, states: "Tensor", positions: "Tensor") -> "Tensor":
        """`states` (..., size) turned to `positions`, whole numbers of shape (...) or broadcast."""
        import torch

        cos, sin = self._known(states)
        c, s = cos[positions], sin[positions]
        left, right = states.to(cos.dtype).chunk(2, dim=-1)
        turned = torch.cat((left * c - right * s, right * c + left * s), dim=-1)
        return turned.to(states.dtype)

    def reach(self, most: int, states: "Tensor") -> None:
        """Make ready for positions below `most` and states like `states`."""
        import torch

        dtype = states.dtype if states.dtype == torch.float64 else torch.float32
        held = self._tables
        enough = held is not None and len(held[0]) >= most
        if (
            held is not None
            and enough
            and (held[0].dtype, held[0].device)
            == (
                dtype,
                states.device,
            )
        ):
            return
        size = max(most, 0 if held is None else len(held[0]), 256)
        size = 1 << (size - 1).bit_length()
        positions = torch.arange(size, device=states.device)[None]
        like = torch.empty(1, 1, 1, dtype=dtype, device=states.device)
        with torch.no_grad():
            cos, sin = self._rotary(like, position_ids=positions)
        # The model has scaled its queries and keys already, at position 0.
        scaling = self._rotary.attention_scaling
        half = cos.shape[-1] // 2
        self._tables = (cos[0, :, :half] / scaling, sin[0, :, :half] / scaling)

    def _known(self, states: "Tensor") -> tuple["Tensor", "Tensor"]:
        if self._tables is None:
            self.reach(1, states)
        assert self._tables is not None  # noqa: S101
        return self._tables
