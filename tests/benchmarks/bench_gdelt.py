"""How fast GKG files become documents, beside reading them with pandas as gdeltPyR does.

``python tests/benchmarks/bench_gdelt.py`` prints a Markdown table and fails if a floor is missed:
rows per processor second at least 1.2 times pandas' (the faster of two ways of calling it), a
peak of at most 40 MB, no good row lost in a file with bad ones, and ten times the time (10 %
either way) for ten times the files.  The ways take turns in one run, each in a process of its
own, and the medians count; so other work on the machine hits them alike.

Rows are the real ones where ``GLOBESUMM_DATA`` names the shared data (their emotion scores drawn
anew in each row, so that zips are no smaller than GDELT's), else made up at GDELT's proportions.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

FLOOR_SPEED, CEILING_MB, EVEN = 1.2, 40.0, 0.1
ROWS = 1000
_BAD = (b"short\trow", b"", b"\t".join([b"1"] * 40), b"\xff\xfe\x00")
_SCORE = re.compile(rb":[0-9.]+")


def templates() -> list[bytes]:
    """Rows to draw from."""
    data = os.environ.get("GLOBESUMM_DATA")
    folder = Path(data, "gdelt", "rows") if data else None
    if folder and folder.is_dir():
        both = b"".join((folder / name).read_bytes() for name in ("gkg.csv", "gkgT.csv"))
        return [row for row in both.split(b"\n") if row]
    return [_made_up(Random(number)) for number in range(200)]


def _made_up(numbers: Random) -> bytes:
    """A row of about GDELT's proportions: seven tenths of it emotion scores."""
    words = [b"%s_%d" % (numbers.choice((b"TAX", b"WB", b"CRISISLEX")), numbers.randrange(3000))
             for _ in range(60)]  # fmt: skip
    cells = [b""] * 27
    cells[1], cells[2], cells[3] = b"20200318104500", b"1", b"example.org"
    cells[4] = b"https://example.org/news/story-%d" % numbers.randrange(10**9)
    cells[7], cells[8] = b";".join(words[:25]), b",33;".join(words)
    cells[15] = b"-1.5,2.0,3.5,5.5,20.1,0.4,%d" % numbers.randrange(60, 900)
    cells[17] = b",".join(b"c%d.%d:1" % (numbers.randrange(1, 42), numbers.randrange(400))
                          for _ in range(500))  # fmt: skip
    cells[26] = b"<PAGE_TITLE>Story &#x2013; %s</PAGE_TITLE>" % words[0]
    return b"\t".join(cells)


def content(rows: Sequence[bytes], seed: int) -> list[bytes]:
    """`ROWS` rows of one file, with scores of its own."""
    numbers = Random(seed)
    made = []
    for place in range(ROWS):
        cells = numbers.choice(rows).split(b"\t")
        cells[0] = b"20200318104500-%d" % place
        cells[17] = _SCORE.sub(lambda _: b":%d" % numbers.randrange(1, 300), cells[17])
        made.append(b"\t".join(cells))
    return made


def write(folder: Path, number: int, rows: Sequence[bytes]) -> Path:
    """One file as GDELT serves it."""
    slot = datetime(2020, 3, 18, tzinfo=UTC) + timedelta(minutes=15 * number)
    member = f"{slot:%Y%m%d%H%M%S}.gkg.csv"
    path = folder / f"{member}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(member, b"\n".join(rows) + b"\n")
    return path


def documents(paths: Sequence[Path]) -> int:
    """Read to the last document, keeping none; how many rows were right."""
    from retrieval.gdelt.read import read

    good = 0
    for path in paths:
        rows, tally = read(path)
        for _ in rows:
            pass
        good += tally.counts["kept"] + tally.counts["not_web"]
    return good


def to_jsonl(paths: Sequence[Path]) -> int:
    """The same, and written as JSON Lines."""
    from retrieval.gdelt.names import Product
    from retrieval.gdelt.read import read
    from retrieval.gdelt.schema import table_columns
    from retrieval.gdelt.writing import write_jsonl

    good = 0
    for path in paths:
        rows, tally = read(path)
        write_jsonl(rows, table_columns(Product.GKG), path.with_suffix(".jsonl"))
        good += tally.counts["kept"] + tally.counts["not_web"]
    return good


def pandas_text(paths: Sequence[Path]) -> int:
    """The whole file at once, every column, as text."""
    return sum(_frame(path, dtype=str) for path in paths)


def pandas_guessed(paths: Sequence[Path]) -> int:
    """The same with columns' types guessed."""
    return sum(_frame(path) for path in paths)


def _frame(path: Path, **more: object) -> int:
    import pandas as pd

    held = BytesIO(path.read_bytes())
    frame = pd.read_csv(held, compression="zip", sep="\t", header=None, on_bad_lines="skip", **more)
    return len(frame)


WAYS: dict[str, Callable[[Sequence[Path]], int]] = {
    "documents": documents,
    "documents to JSON Lines": to_jsonl,
    "pandas, as text": pandas_text,
    "pandas, types guessed": pandas_guessed,
}


def measured(way: str, paths: Sequence[Path]) -> dict[str, float]:
    """Rows, processor seconds and peak MB of one way in a process of its own."""
    command = [sys.executable, __file__, "--way", way, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _alone(way: str, paths: Sequence[Path]) -> None:
    function = WAYS[way]
    function(paths[:1])
    started = time.process_time()
    rows = function(paths)
    seconds = time.process_time() - started
    print(json.dumps({"rows": rows, "seconds": seconds, "mb": _peak_mb()}))


def _peak_mb() -> float:
    """Peak memory of this process; getrusage would count what its parent held before."""
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (one for one in status.read_text().splitlines() if one.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def compared(paths: Sequence[Path], rounds: int) -> Iterator[str]:
    """The table, and a complaint for each floor that is missed."""
    ways = [way for way in WAYS if not way.startswith("pandas") or find_spec("pandas")]
    if len(ways) < len(WAYS):
        yield "FAILED: pandas is not installed, so that nothing can be compared"
        return
    found: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way in ways:
            found[way].append(measured(way, paths))
    speeds = {
        way: median(one["rows"] / one["seconds"] for one in ones) for way, ones in found.items()
    }
    fastest = max(speed for way, speed in speeds.items() if way.startswith("pandas"))
    yield "| way | rows | rows a CPU second | times the faster pandas | peak MB |"
    yield "|---|---:|---:|---:|---:|"
    for way, ones in found.items():
        peak = max(one["mb"] for one in ones)
        ratio = f"{speeds[way] / fastest:.2f}"
        yield f"| {way} | {ones[0]['rows']:.0f} | {speeds[way]:.0f} | {ratio} | {peak:.0f} |"
        if not way.startswith("pandas"):
            if speeds[way] < FLOOR_SPEED * fastest:
                yield f"FAILED: {way}: {ratio} times pandas, {FLOOR_SPEED} is the floor"
            if peak > CEILING_MB:
                yield f"FAILED: {way}: {peak:.0f} MB, {CEILING_MB:.0f} is the ceiling"


def even(paths: Sequence[Path], rounds: int) -> Iterator[str]:
    """How much longer ten times the files take."""
    few = paths[: len(paths) // 10]
    ratios = []
    for _ in range(rounds):
        one, ten = measured("documents", few), measured("documents", paths)
        ratios.append(ten["seconds"] / one["seconds"])
    ratio = median(ratios)
    yield f"\n{len(paths)} files take {ratio:.2f} times as long as {len(few)}"
    if abs(ratio / 10 - 1) > EVEN:
        yield f"FAILED: {ratio:.2f} is not ten, give or take {EVEN:.0%}"


def robust(folder: Path, rows: Sequence[bytes]) -> Iterator[str]:
    """What is left of a file with a bad row after every tenth good one."""
    mixed: list[bytes] = []
    for place, row in enumerate(rows):
        mixed.append(row)
        if place % 10 == 9:
            mixed.append(_BAD[place // 10 % len(_BAD)])
    path = write(folder, 700, mixed)
    yield f"\n{len(rows)} good rows among {len(mixed)}:"
    for way in WAYS:
        try:
            kept = measured(way, [path])["rows"]
        except RuntimeError as error:
            kept = 0
            yield f"- {way}: the whole file is lost ({str(error)[:80]})"
        else:
            yield f"- {way}: {kept:.0f} rows"
        if not way.startswith("pandas") and kept != len(rows):
            yield f"FAILED: {way}: {kept:.0f} of {len(rows)} good rows"


def main(argv: Sequence[str]) -> int:
    """Print the tables; 1 if a floor was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("paths", nargs="*", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.way:
        _alone(options.way, options.paths)
        return 0
    drawn, failed = templates(), False
    with TemporaryDirectory() as name:
        folder = Path(name)
        paths = [write(folder, number, content(drawn, number)) for number in range(options.files)]
        with zipfile.ZipFile(paths[0]) as first:
            info = first.infolist()[0]
        print(
            f"{options.files} files of {ROWS} rows, {info.file_size / ROWS / 1024:.1f} KB a row, "
            f"{info.file_size / info.compress_size:.1f} times as large unzipped\n"
        )
        for lines in (
            compared(paths, options.rounds),
            even(paths, options.rounds),
            robust(folder, content(drawn, -1)),
        ):
            for line in lines:
                failed |= line.startswith("FAILED")
                print(line, flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
