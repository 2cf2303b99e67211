"""`python -m spokerender` is the command `spokerender`."""

import sys

if not sys.flags.safe_path:
    # Python puts the current folder first: a project's yaml.py would run in place of the library.
    del sys.path[0]

from spokerender.cli import main

if __name__ == "__main__":
    main()
