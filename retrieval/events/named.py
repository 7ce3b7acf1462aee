"""What a config names must be there before anything is fetched, not hours later."""

from pathlib import Path

from globesumm import samples
from globesumm.errors import UsageError
from retrieval.events.settings import SAMPLE, EventsConfig


def check_named(config: EventsConfig) -> None:
    """Raise `UsageError` for a file or folder that is not there, or a place that is no address.

    Raises `UnknownName` for a sample nobody knows.
    """
    from retrieval.address import Routes

    for source in config.documents:
        if source.startswith(SAMPLE):
            samples.load(source.removeprefix(SAMPLE))
        elif "://" not in source:
            _there("documents", source)
    for judgements in config.verify.judgements:
        _there("verify.judgements", judgements)
    for name, path in (
        ("portal.events", config.portal.events),
        ("portal.saved", config.portal.saved),
        ("prompts", config.prompts),
    ):
        if path is not None:
            _there(name, path)
    if not config.documents:
        Routes(config.fetch.connect_to)


def _there(name: str, path: str) -> None:
    try:
        is_there = Path(path).exists()
    except (OSError, ValueError):
        is_there = False
    if not is_there:
        raise UsageError(f"{name} names {path}, which is not there (paths start at the config)")
