"""Long inputs of one thing over and over: each parser reads them in work that grows with them.

A parser that goes through the rest of its input once for each of its signs takes hours here.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")
pytest.importorskip("mwparserfromhell", reason="needs the extra 'retrieval'")
pytest.importorskip("warcio", reason="needs the extra 'retrieval'")

from tests.fuzz.targets import MARK, TARGETS, carry_out

pytestmark = pytest.mark.slow

BYTES = 30_000
MOST_SECONDS = 30
"""Of computing, in which no other process's counts; what is right takes about one."""

AFTER_A_BEGINNING: dict[str, tuple[tuple[bytes, bytes, bytes], ...]] = {
    "judge replies": (
        (b"", b"['", b""),
        (b"['" * 2000, b"x", b""),
        (b"", b"[/*", b"*/"),
        (b"[{'a': 1}", b"{'a': 1}", b""),
        (b"[1", b" ", b"x"),
        (b"[1", b"#a\n", b"x"),
        (b"1", b",1", b"x"),
        (MARK.encode() + b": ", b"[1 ", b""),
    ),
}
"""What once took a parser long: a beginning, what is repeated, an end."""


@contextmanager
def bounded(what: str) -> Iterator[None]:
    """An AssertionError when more than `MOST_SECONDS` of computing are used."""

    def late(*_: object) -> None:
        raise AssertionError(f"{what}: {MOST_SECONDS} s of computing were not enough")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def long_ones(name: str) -> Iterator[bytes]:
    target = TARGETS[name]
    seed = min(target.seeds(), key=len)
    half = len(seed) // 2
    for unit in dict.fromkeys((*target.words, b" ", b"\n", b"a ", b"[", b"(")):
        many = unit * (BYTES // len(unit))
        yield many
        yield seed[:half] + many + seed[half:]
    for begin, unit, end in AFTER_A_BEGINNING.get(name, ()):
        yield begin + unit * (BYTES // len(unit)) + end


@pytest.mark.skipif(not hasattr(signal, "SIGVTALRM"), reason="this system has no such clock")
@pytest.mark.parametrize("name", TARGETS)
def test_long_inputs_are_read_in_work_that_grows_with_them(name: str) -> None:
    with bounded(name):
        for content in long_ones(name):
            carry_out(TARGETS[name], content)
