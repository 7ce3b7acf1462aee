"""Wrong uses of every verb: what is typed, what the message must name, and the files they meet."""

import json
import shutil
from pathlib import Path

from tests.report.made_run import full_run

GOOD = {
    "id": "good",
    "language": "en",
    "published": "2023-09-09T10:00:00Z",
    "text": "The bridge fell on Monday. Two people were hurt.",
}

WRONG: tuple[tuple[str, str], ...] = (
    # A file or folder that is not there.
    ("fetch nowhere.txt --out o", "nowhere.txt"),
    ("duplicates nowhere.jsonl", "nowhere.jsonl"),
    ("read nowhere", "nowhere"),
    ("index nowhere.jsonl --out o", "nowhere.jsonl"),
    ("search words --index nowhere --language en", "nowhere"),
    ("events nowhere.toml --out o", "nowhere.toml"),
    ("dataset nowhere.jsonl --out o", "nowhere.jsonl"),
    ("cluster nowhere.jsonl", "nowhere.jsonl"),
    ("summarize nowhere.jsonl --out o", "nowhere.jsonl"),
    ("summarize docs.jsonl --config nowhere.toml --out o", "nowhere.toml"),
    ("label new study --kind relevance --from nowhere.jsonl", "nowhere.jsonl"),
    ("label status nowhere", "nowhere"),
    ("label export nowhere --out x.json", "nowhere"),
    ("annotate nowhere.jsonl --model gpt-4o --out o", "nowhere.jsonl"),
    ("grid nowhere.toml --dry-run", "nowhere.toml"),
    ("drafts nowhere", "nowhere"),
    ("perspective run nowhere.csv --methods lead --out o", "nowhere.csv"),
    ("perspective drafts nowhere", "nowhere"),
    ("perspective convert nowhere.csv --out t.jsonl", "nowhere.csv"),
    ("prefer nowhere.toml --out o", "nowhere.toml"),
    ("probe xquad nowhere.json --model gpt-4o --out o", "nowhere.json"),
    ("score nowhere", "nowhere"),
    ("score --candidates nowhere.jsonl", "nowhere.jsonl"),
    ("facts score nowhere.jsonl", "nowhere.jsonl"),
    ("facts match nowhere.jsonl --out o --judge gpt-4o", "nowhere.jsonl"),
    ("facts generate nowhere.jsonl --out o --model gpt-4o", "nowhere.jsonl"),
    ("facts extract nowhere.jsonl --out deep/o --judge gpt-4o", "nowhere.jsonl"),
    ("facts decompose nowhere.jsonl --out o --judge gpt-4o", "nowhere.jsonl"),
    ("facts verify nowhere.jsonl --sources nowhere.jsonl --out o --judge gpt-4o", "nowhere.jsonl"),
    ("facts evaluate --sources nowhere.jsonl --references --out o --judge gpt-4o", "nowhere.jsonl"),
    ("facts study s.jsonl --sources nowhere.jsonl --out o --judge gpt-4o", "nowhere.jsonl"),
    ("annotate nowhere --model gpt-4o --out deep/o", "nowhere"),
    ("summarize docs.jsonl nowhere.jsonl --out deep/o", "nowhere.jsonl"),
    ("brief nowhere.jsonl --out deep/o", "nowhere.jsonl"),
    ("facts meta --runs nowhere.jsonl", "nowhere.jsonl"),
    ("facts describe nowhere.jsonl", "nowhere.jsonl"),
    ("facts sample nowhere.jsonl --quotas a=1 --out o.jsonl", "nowhere.jsonl"),
    ("meta nowhere.jsonl", "nowhere.jsonl"),
    ("rank nowhere.jsonl", "nowhere.jsonl"),
    ("compare nowhere", "nowhere"),
    ("bias nowhere", "nowhere"),
    ("entail nowhere", "nowhere"),
    ("cite nowhere", "nowhere"),
    ("ledger nowhere", "nowhere"),
    ("report nowhere", "nowhere"),
    ("metrics style nowhere", "nowhere"),
    ("metrics points nowhere.jsonl", "nowhere.jsonl"),
    ("calls list nowhere", "nowhere"),
    ("study multiling --data nowhere", "nowhere"),
    ("export nowhere --to inspect --out o", "nowhere"),
    ("brief nothing --index nowhere", "nowhere"),
    # A folder that is no run, no project, no index.
    ("fetch folder --out o", "folder"),
    ("read folder", "folder"),
    ("search words --index run --language en", "run"),
    ("label status folder", "folder"),
    ("label serve run", "run"),
    ("label agreement folder", "folder"),
    ("label results folder --out o", "folder"),
    ("drafts folder", "folder"),
    ("score folder", "folder"),
    ("facts score folder", "folder"),
    ("facts report folder", "folder"),
    ("rank folder", "folder"),
    ("compare folder", "folder"),
    ("bias folder", "folder"),
    ("entail folder", "folder"),
    ("cite folder", "folder"),
    ("ledger folder", "folder"),
    ("report folder", "folder"),
    ("calls list folder", "folder"),
    ("export folder --to datasets --out o", "folder"),
    # An output that would take the place of something.
    ("summarize docs.jsonl --out run", "run"),
    ("summarize docs.jsonl --out file.txt", "file.txt"),
    ("summarize docs.jsonl --out things", "things"),
    ("export run --to datasets --out run", "run"),
    # Empty, binary, of another kind, damaged, of another version.
    ("fetch empty.txt --out o", "empty.txt"),
    ("fetch binary.bin --out o", "binary.bin"),
    ("duplicates binary.bin --out o", "binary.bin"),
    ("duplicates notes.txt --out o", "notes.txt"),
    ("read docs.jsonl --format csv", "docs.jsonl"),
    ("index empty.txt --out o", "empty.txt"),
    ("events notes.txt --out o", "notes.txt"),
    ("dataset empty.txt --out o", "empty.txt"),
    ("cluster empty.txt", "empty.txt"),
    ("grid broken.toml --dry-run", "broken.toml"),
    ("grid typo.toml --dry-run", "recipies"),
    ("prefer broken.toml --out o", "broken.toml"),
    ("prefer typo.toml --out o", "recipies"),
    ("score broken-run", "broken-run/run.json"),
    ("score old-run", "old-run/run.json"),
    ("score --candidates binary.bin", "binary.bin"),
    ("score --candidates empty.txt", "empty.txt"),
    ("facts score empty.txt", "empty.txt"),
    ("facts match empty.txt --out o --judge gpt-4o", "empty.txt"),
    ("facts extract binary.bin --out o --judge gpt-4o", "binary.bin"),
    ("facts decompose notes.txt --out o --judge gpt-4o", "notes.txt"),
    ("meta empty.txt", "empty.txt"),
    ("meta binary.bin", "binary.bin"),
    ("rank empty.txt", "empty.txt"),
    ("compare broken-run", "broken-run/run.json"),
    ("report broken-run", "broken-run/run.json"),
    ("report damaged-run", "damaged-run/summaries"),
    ("cite damaged-run", "damaged-run/summaries"),
    ("export damaged-run --to datasets --out o", "damaged-run/summaries"),
    ("metrics style empty.txt", "empty.txt"),
    ("calls list binary.bin", "binary.bin"),
    # An option or value that is none, or is missing.
    ("demo --event titanic", "titanic"),
    ("duplicates docs.jsonl --threshold 2", "threshold 2"),
    ("read docs.jsonl --format multilang", "multilang"),
    ("gdelt --from 2023-13-01 --to 2023-09-10 --out o", "2023-13-01"),
    ("gdelt --from 2023-09-10 --to 2023-09-09 --out o", "2023-09-10"),
    ("gdelt --out o", "--from"),
    ("portal --from yesterday --to 2023-05-02 --out o", "yesterday"),
    ("portal --from 2023-05-03 --to 2023-05-02 --out o", "2023-05-03"),
    ("dataset docs.jsonl --out o --run run", "--layout"),
    ("cluster docs.jsonl --days -1", "--days"),
    ("summarize docs.jsonl --recipe crs.none.direct --out o", "crs.none.direct"),
    ("summarize docs.jsonl --model gpt-4o --out o", "OPENAI_API_KEY"),
    ("summarize docs.jsonl --max-words many --out o", "many"),
    ("summarize docs.jsonl --target Klingon --out o", "Klingon"),
    ("label new study --kind relevence --from docs.jsonl", "relevence"),
    ("label new study", "--kind"),
    ("label wrong", "wrong"),
    ("annotate docs.jsonl --out o", "--model"),
    ("grid smok --dry-run", "smok"),
    ("perspective run samples --methods leed --out o", "leed"),
    ("probe xquadd a.json --out o", "xquadd"),
    ("score run --metrics rogue", "rogue"),
    ("score run --metrics nic", "nic"),
    ("score run --metrics rouge --judge gpt-4o", "--judge"),
    ("score run --format xml", "xml"),
    ("score run --seed -1", "--seed"),
    ("facts leaderboard", "--published"),
    ("facts sample docs.jsonl --quotas many --out o.jsonl", "many"),
    ("rank run --plot p.doc", "--metric"),
    ("compare run --table 99", "99"),
    ("bias run --entailer vectorr", "vectorr"),
    ("cite run --recipe crs.none.leed", "crs.none.leed"),
    ("cite run --entailer judge", "judge"),
    ("ledger --sample titanic", "titanic"),
    ("recipes extra", "extra"),
    ("metrics --name rogue", "rogue"),
    ("metrics check --metrics rogue", "rogue"),
    ("calls prune run", "--unused"),
    ("calls export run", "--to"),
    ("calls merge run", "store"),
    ("doctor --verbose", "--verbose"),
    ("study nowhere", "nowhere"),
    ("study multiling", "--data"),
    ("export run --to parquet --out o", "parquet"),
    ("completion tcsh", "tcsh"),
    ("completion", "shell"),
    ("brief", "ASKED"),
)
"""Command and what its message must name: the file, option or value that is wrong."""

MISSING: tuple[tuple[str, str, str], ...] = (
    ("export run --to inspect --out o", "inspect_ai", "inspect"),
    ("export run --to datasets --out o", "pyarrow", "retrieval"),
    ("duplicates docs.jsonl --out o", "rensa", "retrieval"),
    ("index docs.jsonl --out o", "pyserini", "retrieval"),
)
"""Command, package that is not installed, and the extra that brings it."""


def prepare(folder: Path) -> None:
    """The files that the commands name, in `folder`."""
    full_run(folder / "run", events=1)
    for name in ("broken-run", "old-run", "damaged-run"):
        shutil.copytree(folder / "run", folder / name)
    (folder / "broken-run/run.json").write_text("{")
    (folder / "old-run/run.json").write_text('{"version": 1}')
    for path in (folder / "damaged-run/summaries").glob("*/*.json"):
        path.write_text("{}")
    (folder / "folder").mkdir()
    (folder / "things").mkdir()
    (folder / "things/mine.txt").write_text("x")
    (folder / "empty.txt").write_text("")
    (folder / "binary.bin").write_bytes(bytes(range(256)) * 4)
    (folder / "notes.txt").write_text("These are some notes\nof mine.\n")
    (folder / "file.txt").write_text("x")
    (folder / "broken.toml").write_text("recipes = [\n")
    (folder / "typo.toml").write_text('recipies = ["all"]\n')
    (folder / "docs.jsonl").write_text(json.dumps(GOOD) + "\n")
