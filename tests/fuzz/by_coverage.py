"""One target under atheris; the seeds' folder and libFuzzer's flags follow the target's name."""

import sys
import tempfile
from pathlib import Path

import atheris

OURS = ["globesumm", "retrieval", "annotation", "metrics"]


def main() -> None:
    # What guides the search are the branches of this project, not those of the libraries.
    with atheris.instrument_imports(include=OURS, enable_loader_override=False):
        from tests.fuzz.targets import TARGETS, carry_out
    target = TARGETS[sys.argv[1]]
    with tempfile.NamedTemporaryFile("w", suffix=".dict", delete=False) as words:
        for word in target.words:
            words.write('"' + "".join(f"\\x{one:02x}" for one in word) + '"\n')

    def tried(content: bytes) -> None:
        carry_out(target, content)

    atheris.Setup([sys.argv[0], *sys.argv[2:], f"-dict={Path(words.name)}"], tried)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
