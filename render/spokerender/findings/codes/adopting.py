"""What is brought in or begun, by `import`, `init`, `spoke` and `crds`: SR30xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

SECRET = FindingKind(
    "SR3001",
    WARNING,
    "a Secret was left out of the import",
    "Keep its data out of Git: let the controller of a secret store create it on the spokes. "
    "`spokerender explain --spoke` lists what a spoke requires.",
)
CONTROLLED = FindingKind(
    "SR3002",
    INFO,
    "an object that a controller creates was left out of the import",
    "No action is required: its owner creates it again, on the spokes too.",
)
BEING_DELETED = FindingKind(
    "SR3003",
    WARNING,
    "an object that is being deleted was left out of the import",
    "Import again after it is deleted, or restore it first.",
)
UNUSED_CRD = FindingKind(
    "SR3004",
    INFO,
    "a CRD was left out of the import",
    "No action is required. With --crds the CRDs of kinds in use are kept, for validation.",
)
TWO_TALES = FindingKind(
    "SR3005",
    ERROR,
    "two exports have different versions of one object",
    "Export it once, or remove the file that differs from the cluster.",
)
NOT_ALONE = FindingKind(
    "SR3006",
    WARNING,
    "an object has changed on the cluster, and shares its file in the hub with other objects",
    "Apply the change to the file by hand, or move the object to its own file and import again.",
)
NOTHING = FindingKind(
    "SR3007",
    ERROR,
    "there is nothing to import",
    "Name files or folders with manifests, or `-` for standard input, such as the output of "
    "kubectl get gateways,httproutes -A -o yaml.",
)
IN_THE_WAY = FindingKind(
    "SR3008",
    ERROR,
    "a file exists where another would be written",
    "Move it away, or choose another folder. A file that spokerender did not write is never "
    "replaced.",
)
LEFT_ALONE = FindingKind(
    "SR3009",
    WARNING,
    "a file that init would create exists already, and was left alone",
    "No action is required. To see the file that init creates, run it in an empty folder.",
)
SPOKE_IS_THERE = FindingKind(
    "SR3010",
    ERROR,
    "a spoke of that name exists already",
    "Choose another name, or rename the existing spoke.",
)
LAST_SPOKE = FindingKind(
    "SR3011",
    ERROR,
    "the last spoke can't be removed",
    "Add another spoke first. To stop using spokerender, keep clusters/ as it is and delete the "
    "sources.",
)
ONLY_SPOKE = FindingKind(
    "SR3012",
    ERROR,
    "a file of the project names only the spoke that is to be removed",
    "Remove the entry, or let it name other spokes, and then remove the spoke.",
)
UNEDITABLE = FindingKind(
    "SR3013",
    ERROR,
    "a file can't be edited because of the way it is written",
    "Write it as block-style YAML, without anchors and tags, or edit it by hand.",
)
NO_RESOURCE_LIST = FindingKind(
    "SR3014",
    ERROR,
    "standard input is not a ResourceList",
    "Run fn by kustomize or kpt, or in a pipe between kpt fn source and kpt fn sink.",
)
WRONG_FUNCTION_CONFIG = FindingKind(
    "SR3015",
    ERROR,
    "the functionConfig is neither a Fleet nor a Placement",
    "Name fleet.yaml or placement.yaml as the function's configuration.",
)
NO_LONGER_RENDERED = FindingKind(
    "SR3016",
    WARNING,
    "an item in the output folder is not rendered, and was not written by spokerender",
    "Remove it by hand if it is not wanted: only files whose first line says that spokerender "
    "rendered them are removed.",
)
NO_CRD = FindingKind(
    "SR3017",
    ERROR,
    "no CRD in the named files defines a kind",
    "Name files, folders or URLs with CustomResourceDefinitions.",
)
NOT_FROM_US = FindingKind(
    "SR3018",
    ERROR,
    "the file of a CRD was edited, and would be replaced",
    "Move it away, or choose another folder with -o: an edited file is never replaced.",
)
NO_PLACEMENT = FindingKind(
    "SR3019",
    ERROR,
    "a list has hub objects, and no Placement",
    "Name placement.yaml as the configuration of the function, or add it to the items.",
)
