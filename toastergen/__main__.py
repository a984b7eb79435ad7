"""``python -m toastergen``."""

from __future__ import annotations

import importlib.util
import sys

# A clone is found by any Python that starts in its folder, but its parts are put together by an installation.
if sys.version_info < (3, 11) or importlib.util.find_spec("toastergen.frontend") is None:
    sys.stderr.write(
        f"toastergen is not installed in this Python ({sys.executable})\n"
        "  next: .venv/bin/python -m toastergen …, after `make demo` made .venv; or `pip install .` with Python 3.11"
        " or newer\n"
    )
    sys.exit(2)

from toastergen.cli import main

if __name__ == "__main__":
    sys.exit(main())
