"""``python -m toastergen``."""

from __future__ import annotations

import sys

from toastergen.cli import main

if __name__ == "__main__":
    sys.exit(main())
