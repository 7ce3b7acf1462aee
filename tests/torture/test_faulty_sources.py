"""Accidents of every kind, mixed, befall GDELT and newspapers: all is named, and adds up."""

import json
import random
from pathlib import Path

import pytest

pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")
pytest.importorskip("warcio", reason="needs the extra 'retrieval'")

from globesumm.cli import main
from tests.retrieval.mirror.newspapers import article
from tests.retrieval.mirror.replies import FAULTS
from tests.retrieval.mirror.web_server import Mirror
from tests.torture.faults import resident_mib

pytestmark = pytest.mark.slow

PAGES = 120
QUICK = sorted(FAULTS.keys() - {"trickle", "slow", "429 with Retry-After", "503 with Retry-After"})
"""Those that wait are tried one by one in tests/retrieval."""


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_pages_of_which_half_meet_an_accident_are_each_had_or_named(tmp_path: Path) -> None:
    drawn, urls = random.Random(5), []
    with Mirror() as mirror:
        for number in range(PAGES):
            host, path = f"paper{number}.example", f"/{number}.html"
            mirror.site(host).put(path, article("en", number))
            urls.append(f"http://{host}{path}")
            if drawn.random() < 0.5:
                mirror.fault(path, drawn.choice(QUICK))
        listed, out = tmp_path / "list.txt", tmp_path / "out"
        listed.write_text("\n".join(urls))
        place = mirror.address.removeprefix("http://")
        command = ["fetch", str(listed), "--out", str(out), "--connect-to", f"*.example={place}",
                   "--delay", "0", "--timeout", "3", "--workers", "1"]  # fmt: skip
        before = resident_mib()
        assert main(command) == 1
        assert resident_mib() - before < 300
        had, named = lines(out / "documents.jsonl"), lines(out / "rejected.jsonl")
        places = [*(str(one["url"]) for one in had), *(str(one["where"]) for one in named)]
        assert sorted(places) == sorted(urls)
        assert all(one["kind"] and one["reason"] for one in named)
        assert len(had) >= PAGES // 3
        mirror.mend()
        assert main([*command, "--refetch"]) == 0
        assert len(lines(out / "documents.jsonl")) == PAGES


def test_slots_of_gdelt_that_meet_accidents_are_each_accounted_for(tmp_path: Path) -> None:
    drawn, out = random.Random(6), tmp_path / "out"
    with Mirror() as mirror:
        mirror.gdelt.fill("20230601000000", slots=24, products=["gkg"], streams=["english"], rows=2)
        for name in sorted(mirror.gdelt.files):
            if drawn.random() < 0.4:
                mirror.fault(f"/gdeltv2/{name}", drawn.choice(QUICK))
        command = ["gdelt", "--from", "2023-06-01T00:00", "--to", "2023-06-01T05:45", "--base",
                   mirror.gdelt.base, "--streams", "english", "--out", str(out), "--workers", "1",
                   "--wait", "0", "--tries", "2", "--again"]  # fmt: skip
        assert main(command) in (0, 1)
        slots = lines(out / "slots.jsonl")
        assert len(slots) == 24
        tables = list((out / "gkg").glob("*.jsonl"))
        assert 0 < len(tables) < 24
        mirror.mend()
        assert main(command) == 0
        assert len(list((out / "gkg").glob("*.jsonl"))) == 24
