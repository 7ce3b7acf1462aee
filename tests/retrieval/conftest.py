"""The local mirror of the sources, served afresh for each test that asks for it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.retrieval.mirror.web_server import Mirror


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    """A running `Mirror`, with GDELT's real rows where `GLOBESUMM_DATA` has them."""
    data = os.environ.get("GLOBESUMM_DATA")
    with Mirror(Path(data) if data else None) as running:
        yield running
