"""What is on disk: SR12xx."""

from __future__ import annotations

from render.results import ERROR, INFO, WARNING, Rule

MISSING = Rule("SR1201", ERROR, "a file or folder of the project is not there")
EMPTY = Rule("SR1202", ERROR, "a folder of the project has no file to read")
UNREADABLE = Rule("SR1203", ERROR, "a file or folder of the project can't be read")
TOO_LARGE = Rule("SR1204", ERROR, "the files of the project are larger than allowed")
BLOCKED = Rule("SR1205", ERROR, "something that is not ours stands where we must write")
FLUX_BOOTSTRAP = Rule("SR1206", ERROR, "a spoke's folder is Flux's bootstrap path")
FOREIGN = Rule("SR1207", INFO, "files of others lie in a spoke's folder")
STRAY = Rule("SR1208", WARNING, "files of others lie in the staging folder")

RULES = (
    MISSING,
    EMPTY,
    UNREADABLE,
    TOO_LARGE,
    BLOCKED,
    FLUX_BOOTSTRAP,
    FOREIGN,
    STRAY,
)
