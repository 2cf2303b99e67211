"""The project: its own files (SR11xx), files and folders (SR12xx), arguments of commands (SR20xx).

And its suppressions (SR24xx).
"""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

UNREADABLE_FILE = FindingKind(
    "SR1101",
    ERROR,
    "fleet.yaml or a placement file is not valid YAML",
    "Correct the YAML at the line that the finding names.",
)
WRONG_DOCUMENT = FindingKind(
    "SR1102",
    ERROR,
    "a document of fleet.yaml or of the placement has the wrong apiVersion or kind",
    "Start the document with apiVersion: spokerender.io/v1alpha1 and its kind: Fleet in "
    "fleet.yaml, which has one document only, and Placement in the placement.",
)
UNKNOWN_KEY = FindingKind(
    "SR1103",
    ERROR,
    "fleet.yaml or the placement has an unknown key",
    "Correct the key or remove it: spokerender schema prints all keys.",
)
MISSING_KEY = FindingKind(
    "SR1104",
    ERROR,
    "a required key is missing",
    "Add the key: spokerender schema describes all keys.",
)
INVALID_VALUE = FindingKind(
    "SR1105",
    ERROR,
    "a value is invalid for its key",
    "Write a value that the key accepts: spokerender schema describes them.",
)
OTHER_VERSION = FindingKind(
    "SR1106",
    ERROR,
    "the project requires another version of spokerender",
    "Install a version in the range, or change spec.requires in fleet.yaml.",
)
DUPLICATE_NAME = FindingKind(
    "SR1107",
    ERROR,
    "two placements or two spokes have the same name",
    "Rename or remove one of the two.",
)
MISSING = FindingKind(
    "SR1201",
    ERROR,
    "a file or folder of the project does not exist",
    "Create it, or correct its path in fleet.yaml. Paths are relative to the project folder.",
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
    "Give yourself permission to read it, or remove it from the folders that fleet.yaml names.",
)
TOO_LARGE = FindingKind(
    "SR1204",
    ERROR,
    "the files of the project are larger than allowed",
    "Raise spec.maxHubBytes in fleet.yaml, or move unrelated files out of the folder. The fleet "
    "file, and all templates together, have their own limits.",
)
BLOCKED = FindingKind(
    "SR1205",
    ERROR,
    "a file that spokerender did not write is in the way of the output",
    "Move the file away, or choose another folder with spec.output. A file whose first line does "
    "not say that spokerender rendered it is never replaced.",
)
FLUX_BOOTSTRAP = FindingKind(
    "SR1206",
    ERROR,
    "the folder of a spoke is Flux's bootstrap path",
    "Bootstrap Flux with another path, and let a Flux Kustomization apply the folder of the spoke.",
)
FOREIGN = FindingKind(
    "SR1207",
    INFO,
    "the folder of a spoke has files that spokerender did not write",
    "No action is required: the files are left alone, and kustomization.yaml does not list them. "
    "To ship them to the spoke, move them into the hub.",
)
STRAY = FindingKind(
    "SR1208",
    WARNING,
    "the staging folder has files that spokerender did not write",
    "Move the files away: the staging folder exists only while a build runs.",
)
STALE = FindingKind(
    "SR1209",
    ERROR,
    "the committed tree differs from what the sources render to",
    "Run `spokerender build` and commit what it writes.",
)
OVERLAP = FindingKind(
    "SR1210",
    ERROR,
    "the output folder overlaps a file or folder of the project",
    "Choose an output folder that holds nothing else: rendered files must never be read as input.",
)
STEERED = FindingKind(
    "SR1211",
    ERROR,
    "a file in the output would make a delivery engine apply the output differently",
    "Move the file out of the output. Express what it does in the hub or in the placement.",
)
FOREIGN_FOLDER = FindingKind(
    "SR1212",
    ERROR,
    "the output has a folder that spokerender did not write, and a delivery engine would take it "
    "for a spoke",
    "Move the folder out of the output. To ship its objects to a spoke, add them to the hub.",
)
BAD_NAME = FindingKind(
    "SR2001",
    ERROR,
    "an argument is not of the form KIND/[NAMESPACE/]NAME",
    "Write the object as KIND[.GROUP]/[NAMESPACE/]NAME, such as AuthPolicy/shop/checkout.",
)
UNKNOWN_OBJECT = FindingKind(
    "SR2002",
    ERROR,
    "an argument names no object",
    "Name an object of the hub or of the tree of a spoke: explain without an argument lists what "
    "there is.",
)
AMBIGUOUS = FindingKind(
    "SR2003",
    ERROR,
    "an argument matches several objects",
    "Add the group, as in AuthPolicy.kuadrant.io/shop/checkout, or the namespace.",
)
UNKNOWN_SPOKE = FindingKind(
    "SR2004",
    ERROR,
    "an argument names no spoke",
    "Name a spoke that the placement declares under spec.spokes.",
)
UNKNOWN_CODE = FindingKind(
    "SR2005",
    ERROR,
    "an argument is not the code of a finding",
    "Name a code such as SR1010: spokerender rules lists all codes.",
)
UNKNOWN_ROUTE = FindingKind(
    "SR2006",
    ERROR,
    "an argument names no route",
    "Name a route of the hub as [KIND/][NAMESPACE/]NAME, such as HTTPRoute/shop/checkout.",
)
UNKNOWN_POLICY_KIND = FindingKind(
    "SR2007",
    ERROR,
    "an argument names no policy kind",
    "Name a policy kind that the hub or spokerender knows, such as AuthPolicy; describe any other "
    "kind by its CRD or under spec.policyKinds of fleet.yaml.",
)
STALE_SUPPRESSION = FindingKind(
    "SR2401",
    WARNING,
    "a suppression matches nothing",
    "Remove the entry from spec.suppressions in fleet.yaml, or correct its name, code or spoke.",
)
