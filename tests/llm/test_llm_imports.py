"""Heavy packages are loaded when they are used, and not before."""

import subprocess
import sys


def test_opening_nothing_loads_no_heavy_package() -> None:
    code = (
        "import sys, globesumm.llm.backends, globesumm.llm.local_transformers, "
        "globesumm.llm.openai_compatible, globesumm.llm.scripted\n"
        "print([m for m in ('openai', 'torch', 'transformers', 'huggingface_hub') "
        "if m in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert ran.stdout.strip() == "[]"
