"""What is on disk: SR12xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

MISSING = FindingKind(
    "SR1201",
    ERROR,
    "a file or folder of the project is not there",
    "Create it, or correct its path in fleet.yaml. Paths are relative to the project's folder.",
)
EMPTY = FindingKind(
    "SR1202",
    ERROR,
    "a folder of the project has no file to read",
    "Put a .yaml, .yml or .json file into the folder, or name another folder in fleet.yaml.",
)
UNREADABLE = FindingKind(
    "SR1203",
    ERROR,
    "a file or folder of the project can't be read",
    "Give yourself the right to read it, or take it out of the folders that fleet.yaml names.",
)
TOO_LARGE = FindingKind(
    "SR1204",
    ERROR,
    "the files of the project are larger than allowed",
    "Raise spec.maxHubBytes in fleet.yaml, or move what does not belong there out of the folder. "
    "The fleet file, and all templates together, have a bound of their own.",
)
BLOCKED = FindingKind(
    "SR1205",
    ERROR,
    "something that is not ours stands where we must write",
    "Move it away, or choose another folder with spec.output. A file whose first line does not "
    "say that it is rendered is never replaced.",
)
FLUX_BOOTSTRAP = FindingKind(
    "SR1206",
    ERROR,
    "a spoke's folder is Flux's bootstrap path",
    "Bootstrap Flux with another path, and let a Flux Kustomization apply the spoke's folder.",
)
FOREIGN = FindingKind(
    "SR1207",
    INFO,
    "files of others lie in a spoke's folder",
    "Nothing has to be done: they are left alone, and kustomization.yaml does not list them. If "
    "the spoke is to get them, put them into the hub.",
)
STRAY = FindingKind(
    "SR1208",
    WARNING,
    "files of others lie in the staging folder",
    "Move them away: the staging folder is only there while a build runs.",
)
STALE = FindingKind(
    "SR1209",
    ERROR,
    "the committed tree is not what the sources render to",
    "Run `spokerender build` and commit what it writes.",
)
OVERLAP = FindingKind(
    "SR1210",
    ERROR,
    "the output folder and a file or folder of the project overlap",
    "Write to a folder that holds nothing else. What is rendered must never be read as an input.",
)
STEERED = FindingKind(
    "SR1211",
    ERROR,
    "a file of others by which an engine would not apply the output as it is listed",
    "Move the file out of the output. What it shall do belongs into the hub or placement.",
)
FOREIGN_FOLDER = FindingKind(
    "SR1212",
    ERROR,
    "a folder of others in the output, which an engine would take for a spoke's",
    "Move the folder out of the output. What a spoke is to get belongs into the hub.",
)
