"""Miniatures of the two public data sets, in their real layouts."""

import io
import os
import tarfile
from pathlib import Path

import pytest

TEXTS = {
    "M0000.english": "Dam bursts in the north\n\nMonday, January 10, 2005\n\n"
    "A dam burst in the north on Sunday, 9 January and 12 people were killed. "
    "The water has reached 340 houses in the valley below. "
    "The government will send soldiers to the region, officials said.",
    "M0000.french": "Un barrage cède dans le nord\n\nLundi 10 janvier 2005\n\n"
    "Un barrage a cédé dans le nord dimanche 9 janvier et 12 personnes sont mortes. "
    "L'eau a atteint 340 maisons dans la vallée en contrebas. "
    "Selon des responsables, le gouvernement va envoyer des soldats dans la région.",
    "M0001.english": "Soldiers reach the valley\n\nTuesday, January 11, 2005\n\n"
    "Soldiers have reached the valley where a dam burst on Sunday. "
    "The number of people who were killed has risen to 19, the ministry said.",
    "M0001.french": "Les soldats atteignent la vallée\n\nMardi 11 janvier 2005\n\n"
    "Les soldats ont atteint la vallée où un barrage a cédé dimanche. "
    "Le nombre de personnes tuées est passé à 19, selon le ministère.",
    "M0002.english": "Inquiry into the dam\n\nFriday, January 14, 2005\n\n"
    "An inquiry into the burst dam was opened in the capital on Friday. "
    "The dam had been built in 1987 and was last inspected in 2001.",
    "M0002.french": "Enquête sur le barrage\n\nVendredi 14 janvier 2005\n\n"
    "Une enquête sur le barrage rompu a été ouverte vendredi dans la capitale. "
    "Le barrage avait été construit en 1987 et inspecté pour la dernière fois en 2001.",
    "M0010.english": "Ferry runs aground\n\nWednesday, March 2, 2005\n\n"
    "A ferry with 210 passengers ran aground near the island on Tuesday. "
    "All passengers were taken to the harbour by fishing boats.",
    "M0010.french": "Un ferry s'échoue\n\nMercredi 2 mars 2005\n\n"
    "Un ferry avec 210 passagers s'est échoué près de l'île mardi. "
    "Tous les passagers ont été conduits au port par des bateaux de pêche.",
    "M0011.english": "Captain questioned\n\nThursday, March 3, 2005\n\n"
    "The captain of the ferry that ran aground is being questioned. "
    "He was on the bridge at the time, police said.",
    "M0011.french": "Le capitaine interrogé\n\nJeudi 3 mars 2005\n\n"
    "Le capitaine du ferry qui s'est échoué est interrogé. "
    "Il était sur la passerelle à ce moment-là, selon la police.",
    "M0012.english": "Ferry towed away\n\nSaturday, March 5, 2005\n\n"
    "The ferry was towed to the shipyard on Friday. "
    "Repairs will take 6 weeks and cost 2,500,000 euros.",
    "M0012.french": "Le ferry remorqué\n\nSamedi 5 mars 2005\n\n"
    "Le ferry a été remorqué au chantier naval vendredi. "
    "Les réparations prendront 6 semaines et coûteront 2 500 000 euros.",
}
PEOPLE = {
    "M000.A": "A dam burst on 9 January and 19 people were killed. An inquiry was opened.",
    "M000.B": "Nineteen people died when a dam burst in the north. Soldiers were sent.",
    "M001.A": "A ferry with 210 passengers ran aground and was towed away on Friday.",
    "M001.B": "All passengers of a ferry that ran aground were saved by fishing boats.",
}


@pytest.fixture
def mini_multiling(tmp_path: Path) -> Path:
    """A data root with two topics of three texts in English and French below ``events/``."""
    root = tmp_path / "root"
    folder = root / "events" / "multiling2011"
    for name, text in TEXTS.items():
        _write(folder / "SourceTexts" / name, text)
    for name, text in PEOPLE.items():
        _write(folder / "ModelSummaries" / "English" / f"{name}.250", text)
    for system in ("ID10", "ID9"):
        for topic in ("M000", "M001"):
            _write(folder / "Submissions" / system / "English" / topic, PEOPLE[f"{topic}.A"])
    return root


ROWS = (
    ("[2010-01-01]", "A dam burst in the north.", ""),
    ("[2010-01-02]", 'The ministry says "twelve" people died.', "A dam burst."),
    ("[2010-01-05]", "An inquiry is opened.", "A dam burst and twelve people died."),
    ("[2010-02-01]", "The engineer is arrested.", "A dam burst, twelve died, an inquiry began."),
)


def table(rows: tuple[tuple[str, str, str], ...] = ROWS) -> str:
    """An annotator's table, quoted as the published ones are."""
    lines = ["Date\tUpdate\tBackground"]
    lines += ["\t".join(f'"{cell.replace(chr(34), 2 * chr(34))}"' for cell in row) for row in rows]
    return "\n".join(lines) + "\n"


@pytest.fixture
def mini_backgrounds(tmp_path: Path) -> Path:
    """An archive with one event by two annotators, below ``background-summaries/``."""
    path = tmp_path / "backgrounds" / "background-summaries" / "events.tar.gz"
    path.parent.mkdir(parents=True)
    with tarfile.open(path, "w:gz") as archive:
        for name in ("annotator1", "annotator2"):
            content = table().encode()
            member = tarfile.TarInfo(f"events/dam_burst/{name}.tsv")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path.parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data sets that GLOBESUMM_DATA names; skips where there is none."""
    folder = os.environ.get("GLOBESUMM_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("GLOBESUMM_DATA does not name a folder of public data sets")
    return Path(folder)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
