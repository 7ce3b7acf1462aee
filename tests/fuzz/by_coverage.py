"""One target under atheris: ``python -m tests.fuzz.by_coverage TARGET FOLDER -runs=1000``.

FOLDER holds the ``corpus`` and the count of inputs so far; libFuzzer's flags follow it.
"""

import sys
import tempfile
from pathlib import Path

import atheris

OURS = ["globesumm", "retrieval", "annotation", "metrics"]


def main() -> None:
    # What guides the search are the branches of this project, not those of the libraries.
    with atheris.instrument_imports(include=OURS, enable_loader_override=False):
        from tests.fuzz.targets import TARGETS, carry_out
    from tests.fuzz.tally import Tally

    target, folder = TARGETS[sys.argv[1]], Path(sys.argv[2])
    corpus = folder / "corpus"
    with tempfile.NamedTemporaryFile("w", suffix=".dict", delete=False) as words:
        for word in target.words:
            words.write('"' + "".join(f"\\x{one:02x}" for one in word) + '"\n')
    tally = Tally(folder, "by-coverage")
    # What an earlier sitting found is read first, and is not counted twice.
    again = len(list(corpus.iterdir()))

    def tried(content: bytes) -> None:
        nonlocal again
        if again:
            again -= 1
        else:
            tally.add()
        carry_out(target, content)

    flags = [*sys.argv[3:], f"-max_len={target.longest}", f"-dict={Path(words.name)}"]
    atheris.Setup([sys.argv[0], str(corpus), *flags], tried)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
