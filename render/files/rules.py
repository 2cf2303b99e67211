"""What can be wrong with what is on disk: the rules SR12xx."""

from __future__ import annotations

from render.results import Rule, Severity

MISSING = Rule("SR1201", Severity.ERROR, "a file or folder of the project is not there")
EMPTY = Rule("SR1202", Severity.ERROR, "a folder of the project has no file to read")
UNREADABLE = Rule("SR1203", Severity.ERROR, "a file or folder of the project can't be read")
TOO_LARGE = Rule("SR1204", Severity.ERROR, "the files of the project are larger than allowed")
BLOCKED = Rule("SR1205", Severity.ERROR, "something that is not ours stands where we must write")
FLUX_BOOTSTRAP = Rule("SR1206", Severity.ERROR, "a spoke's folder is Flux's bootstrap path")
FOREIGN = Rule("SR1207", Severity.INFO, "files of others lie in a spoke's folder")
STRAY = Rule("SR1208", Severity.WARNING, "files of others lie in the staging folder")

RULES: tuple[Rule, ...] = (
    MISSING,
    EMPTY,
    UNREADABLE,
    TOO_LARGE,
    BLOCKED,
    FLUX_BOOTSTRAP,
    FOREIGN,
    STRAY,
)
