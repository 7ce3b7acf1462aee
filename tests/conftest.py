"""Property tests draw afresh on a developer's machine, and the same examples each time in CI."""

import os

from hypothesis import HealthCheck, settings

# A machine that is busy with other things draws slowly; that is no fault of what is tested.
SLOW = [HealthCheck.too_slow]

settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=SLOW)
settings.register_profile("local", deadline=None, suppress_health_check=SLOW)
settings.load_profile("ci" if os.environ.get("CI") else "local")
