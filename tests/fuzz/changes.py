"""How an input is made of one of real shape: by edits, which hypothesis or plain chance chooses."""

from collections.abc import Sequence
from random import Random

from hypothesis import strategies as st

from tests.fuzz.targets import Target

PLACES = st.floats(0, 1, exclude_max=True)
EDITS = ("replace", "insert", "delete", "repeat", "cut", "flip")
LENGTHS = (0, 1, 2, 5, 20, 200)
TIMES = (1, 2, 29)
MOST_EDITS = 6
ONE_OF_ANY_BYTES_IN = 20
MOST_ANY_BYTES = 200
MOST_WORD_BYTES = 6


def edited(content: bytes, edit: str, start: int, length: int, other: bytes) -> bytes:
    """`content` after one of the `EDITS` from byte `start` on.

    `length` bytes are replaced or deleted; `other` is put in, for "repeat" the same bytes again.
    """
    before, after = content[:start], content[start:]
    match edit:
        case "replace":
            return before + other + after[length:]
        case "insert" | "repeat":
            return before + other + after
        case "delete":
            return before + after[length:]
        case "cut":
            return before
        case _:
            return before + bytes(one ^ 0x80 for one in after[:1]) + after[1:]


@st.composite
def changed(draw: st.DrawFn, target: Target, seeds: list[bytes]) -> bytes:
    """A seed of `target` with up to six edits, or now and then bytes of any kind."""
    if draw(st.integers(0, ONE_OF_ANY_BYTES_IN - 1)) == 0:
        return draw(st.binary(max_size=MOST_ANY_BYTES))
    content = draw(st.sampled_from(seeds))
    words = st.sampled_from(target.words) | st.binary(max_size=MOST_WORD_BYTES)
    for _ in range(draw(st.integers(0, MOST_EDITS))):
        start = int(draw(PLACES) * (len(content) + 1))
        length = draw(st.sampled_from(LENGTHS))
        edit = draw(st.sampled_from(EDITS))
        other = b""
        if edit in {"replace", "insert"}:
            other = draw(words)
        elif edit == "repeat":
            other = content[start : start + length] * draw(st.sampled_from(TIMES))
        content = edited(content, edit, start, length, other)
    return content


def by_chance(chance: Random, target: Target, seeds: Sequence[bytes]) -> bytes:
    """One of `seeds` after one to six edits, most often one, at most ``target.longest`` bytes.

    What is put in is one of the target's words, bytes of any kind, or a piece of another seed.
    """
    if chance.random() * ONE_OF_ANY_BYTES_IN < 1:
        return chance.randbytes(int(chance.random() * (MOST_ANY_BYTES + 1)))[: target.longest]
    content = chance.choice(seeds)
    for _ in range(1 + int(chance.random() ** 2 * MOST_EDITS)):
        start = int(chance.random() * (len(content) + 1))
        length = chance.choice(LENGTHS)
        edit = chance.choice(EDITS)
        other = b""
        if edit in {"replace", "insert"}:
            other = _other(chance, target, seeds)
        elif edit == "repeat":
            other = content[start : start + length] * chance.choice(TIMES)
        content = edited(content, edit, start, length, other)
    return content[: target.longest]


def _other(chance: Random, target: Target, seeds: Sequence[bytes]) -> bytes:
    kind = chance.random()
    if kind < 0.5 and target.words:
        return chance.choice(target.words)
    if kind < 0.75:
        return chance.randbytes(int(chance.random() * (MOST_WORD_BYTES + 1)))
    seed = chance.choice(seeds)
    start = int(chance.random() * (len(seed) + 1))
    return seed[start : start + chance.choice(LENGTHS)]
