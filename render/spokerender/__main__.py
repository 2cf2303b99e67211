"""`python -m render` is the command `spokerender`."""

from __future__ import annotations

from spokerender.cli import main

if __name__ == "__main__":
    main()
