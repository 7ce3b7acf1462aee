"""The screenshots of docs/labelling.md: ``python tests/labels/photograph.py docs/labelling``.

Needs chromium, its driver, fonts for the scripts (fonts-noto-core, fonts-noto-cjk) and pillow.
"""

import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.labels.browser import Person, chromium
from tests.labels.sample_items import items, review
from tests.labels.served import project_of, serving

UP, DOWN, LEFT, RIGHT = "\ue013", "\ue015", "\ue012", "\ue014"


@dataclass(frozen=True)
class Shot:
    """A page once the keys were pressed (drafts come back); a phone's shows one screen of it."""

    path: str
    keys: tuple[str, ...] = ()
    who: str = "ada"
    width: int = 900
    height: int | None = None


SHOTS: Mapping[str, Shot] = {
    "relevance-arabic": Shot("item/1", ("1",)),
    "issues-hebrew": Shot(
        "item/2",
        (" ", RIGHT, " ", "r", LEFT, DOWN, DOWN, " ", RIGHT, DOWN, " ", "c", "1"),
    ),
    "review": Shot("item/8", ("y",)),
    "key-facts-hindi": Shot("item/3", ("1",)),
    "support-korean": Shot("item/4", ("0", "v")),
    "matching-korean": Shot("item/5", ("2",)),
    "key-points-greek-arabic": Shot(
        "item/6",
        (" ", DOWN, "t", " ", "t", " ", "1", "2", DOWN, DOWN, " "),
    ),
    "preference-greek": Shot("item/7", ("2",)),
    "start": Shot("start/relevance"),
    "dispute": Shot("dispute/9", who="eve"),
    "home": Shot("", who="eve"),
    "phone-arabic": Shot("item/1", width=390, height=844),
    "phone-hebrew": Shot("item/2", width=390, height=844),
    "phone-korean": Shot("item/5", width=390, height=844),
}


def main(folder: Path) -> None:
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        settled = [one for one in items() if one.kind == "fact-support"]
        every = [*items(models=3), review(), *(replace(one, id="again") for one in settled)]
        project = project_of(
            Path(work) / "p", every, "ada ben eve", order="given", overlap=2, verdicts=True,
            title="Ferry study",
        )  # fmt: skip
        with serving(project) as server, chromium() as driver:
            for who, key in (("ada", "1"), ("ben", "0")):
                person = Person(driver, server.links[who])
                person.goes_to("item/9")
                if who == "ben":
                    person.presses("n", *"see sentence 3", "\ue00c")
                person.presses(key)
                person.submits()
            for name, shot in SHOTS.items():
                person = Person(driver, server.links[shot.who])
                person.goes_to(shot.path)
                person.presses(*shot.keys)
                path = folder / f"{name}.png"
                person.photographs(path, shot.width, shot.height)
                # Sixty-four colours are enough for text, and a third of the bytes.
                Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)
                print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/labelling"))
