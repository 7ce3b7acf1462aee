"""Property tests draw afresh on a developer's machine, and the same examples each time in CI."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from tests.live import Server

# A machine that is busy with other things draws slowly; that is no fault of what is tested.
SLOW = [HealthCheck.too_slow]

settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=SLOW)
settings.register_profile("local", deadline=None, suppress_health_check=SLOW)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(scope="session")
def live_server(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Server]":
    """One llama.cpp server with a small model for all tests that ask one; see `tests.live`."""
    from tests.live import WINDOW, Server, llama_server

    folder = tmp_path_factory.mktemp("live-server")
    with llama_server(folder, WINDOW) as url:
        yield Server(url, folder / "log")
