"""``python -m globesumm VERB`` is the command ``globesumm VERB``."""

import sys

from globesumm.cli import main

if __name__ == "__main__":
    sys.exit(main())
