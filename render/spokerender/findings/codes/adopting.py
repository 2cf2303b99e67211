"""What is brought in or begun, by `import`, `init`, `spoke` and `crds`: SR30xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

SECRET = FindingKind(
    "SR3001",
    WARNING,
    "a Secret was left out of the import",
    "Keep its data out of Git: let a secret store's controller make it on the spokes that need "
    "it. `spokerender explain --spoke` lists what a spoke needs.",
)
CONTROLLED = FindingKind(
    "SR3002",
    INFO,
    "an object that a controller makes was left out of the import",
    "Nothing has to be done: what owns it makes it again, on the spokes as well.",
)
BEING_DELETED = FindingKind(
    "SR3003",
    WARNING,
    "an object that is being deleted was left out of the import",
    "Import again when it is gone, or restore it first.",
)
UNUSED_CRD = FindingKind(
    "SR3004",
    INFO,
    "a CRD was left out of the import",
    "Nothing has to be done. With --crds those of the kinds in use are kept, for validation.",
)
TWO_TALES = FindingKind(
    "SR3005",
    ERROR,
    "two exports say different things of one object",
    "Export it once, or take the file out that is not what the cluster has.",
)
NOT_ALONE = FindingKind(
    "SR3006",
    WARNING,
    "an object has changed live, and shares its file in the hub with others",
    "Carry the change over by hand, or move the object to a file of its own and import again.",
)
NOTHING = FindingKind(
    "SR3007",
    ERROR,
    "there is nothing to bring in",
    "Name files or folders with manifests, or `-` for what a command prints, such as "
    "kubectl get gateways,httproutes -A -o yaml.",
)
IN_THE_WAY = FindingKind(
    "SR3008",
    ERROR,
    "a file stands where another would be written",
    "Move it away, or choose another folder. What others wrote is never replaced.",
)
LEFT_ALONE = FindingKind(
    "SR3009",
    WARNING,
    "a file that init would have made is there already, and was left alone",
    "Nothing has to be done. Move it away and run init in an empty folder to see what it would "
    "have had.",
)
SPOKE_IS_THERE = FindingKind(
    "SR3010",
    ERROR,
    "there is a spoke of that name already",
    "Choose another name, or rename the one that there is.",
)
LAST_SPOKE = FindingKind(
    "SR3011",
    ERROR,
    "the last spoke can't be removed",
    "Add another spoke first. To leave the tool, keep clusters/ as it is and drop the sources.",
)
ONLY_SPOKE = FindingKind(
    "SR3012",
    ERROR,
    "something of ours is for a spoke alone that shall be removed",
    "Take it out, or let it name other spokes, and remove the spoke then.",
)
UNEDITABLE = FindingKind(
    "SR3013",
    ERROR,
    "a file of ours is written so that nothing in it can be changed alone",
    "Write it as block-style YAML, without anchors and tags, or edit it by hand.",
)
NO_RESOURCE_LIST = FindingKind(
    "SR3014",
    ERROR,
    "standard input is no ResourceList",
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
    "an item in the output folder is not rendered, and not known to be ours",
    "Take it out by hand if it is not wanted: only what has our first line is taken out.",
)
NO_CRD = FindingKind(
    "SR3017",
    ERROR,
    "there is no CRD that defines a kind in what was named",
    "Name files, folders or URLs with CustomResourceDefinitions.",
)
NOT_FROM_US = FindingKind(
    "SR3018",
    ERROR,
    "a CRD's file is not as it was added, and would be replaced",
    "Move it away, or choose another folder with -o: an edited file is never replaced.",
)
NO_PLACEMENT = FindingKind(
    "SR3019",
    ERROR,
    "a list has hub objects, and no Placement that says where they go",
    "Name placement.yaml as the function's configuration, or give it among the items.",
)
