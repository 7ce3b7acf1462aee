"""Inputs that hypothesis draws: seeds of real shape with bytes of them changed."""

from hypothesis import strategies as st

from tests.fuzz.targets import Target

PLACES = st.floats(0, 1, exclude_max=True)


@st.composite
def changed(draw: st.DrawFn, target: Target, seeds: list[bytes]) -> bytes:
    """A seed of `target` with up to six edits, or now and then bytes of any kind."""
    if draw(st.integers(0, 19)) == 0:
        return draw(st.binary(max_size=200))
    content = draw(st.sampled_from(seeds))
    words = st.sampled_from(target.words) | st.binary(max_size=6)
    for _ in range(draw(st.integers(0, 6))):
        start = int(draw(PLACES) * (len(content) + 1))
        length = draw(st.sampled_from((0, 1, 2, 5, 20, 200)))
        match draw(st.sampled_from(("replace", "insert", "delete", "repeat", "cut", "flip"))):
            case "replace":
                content = content[:start] + draw(words) + content[start + length :]
            case "insert":
                content = content[:start] + draw(words) + content[start:]
            case "delete":
                content = content[:start] + content[start + length :]
            case "repeat":
                times = draw(st.sampled_from((2, 3, 30)))
                piece = content[start : start + length]
                content = content[:start] + piece * times + content[start + length :]
            case "cut":
                content = content[:start]
            case _:
                flipped = bytes(one ^ 0x80 for one in content[start : start + 1])
                content = content[:start] + flipped + content[start + 1 :]
    return content
