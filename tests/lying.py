"""What lies in a folder that another process is changing."""

from pathlib import Path


def lying(folder: Path, pattern: str) -> list[Path]:
    """What matches now; nothing where a folder went away while it was being listed."""
    try:
        return list(folder.glob(pattern))
    except FileNotFoundError:
        return []
