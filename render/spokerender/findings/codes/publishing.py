"""Publishing: SR27xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

UNCLAIMED = FindingKind(
    "SR2701",
    ERROR,
    "no agent selects a PublishedResource, or several agents do",
    "Let exactly one agent's selector in the publishing file match the labels of the "
    "PublishedResource.",
)
UNKNOWN_AGENT = FindingKind(
    "SR2702",
    ERROR,
    "a workspace, or a schema in published/, names an agent that is not declared",
    "Declare the agent in the publishing file, or correct the name.",
)
UNKNOWN_SPOKE = FindingKind(
    "SR2703",
    ERROR,
    "an agent names a spoke that the placement does not declare",
    "Declare the spoke under spec.spokes of the placement, or correct the name.",
)
NO_CRD = FindingKind(
    "SR2704",
    ERROR,
    "a published kind has no CRD, or several different ones",
    "Add the CRD of the service cluster to the hub or under spec.crds. A built-in kind can't be "
    "published from files: its schema would have another name than the agent's.",
)
BAD_CRD = FindingKind(
    "SR2705",
    ERROR,
    "the CRD of a published kind is incomplete",
    "Set group, names and versions, which the API server requires.",
)
NO_VERSION = FindingKind(
    "SR2706",
    ERROR,
    "a selected version does not exist, or none of the selected versions is served",
    "Select versions of the CRD, at least one of them served.",
)
BAD_PROJECTION = FindingKind(
    "SR2707",
    ERROR,
    "a projection contradicts itself",
    "Give each version its own name; rename a single version with version, several with versions.",
)
BAD_RESOURCE = FindingKind(
    "SR2708",
    ERROR,
    "a PublishedResource is invalid: its agent refuses it",
    "Correct the field; the rules are those of the upstream CRD and its documentation.",
)
PUBLISHED_SECRET = FindingKind(
    "SR2709",
    ERROR,
    "Secrets would be published",
    "Publish the kind that creates the Secret, such as ExternalSecret: a Secret is never rendered.",
)
PUBLISHED_TWICE = FindingKind(
    "SR2710",
    ERROR,
    "an export would have a group and resource twice, or two agents would publish it to one "
    "workspace",
    "Project one of the two PublishedResources to another name, or remove it.",
)
BAD_TEMPLATE = FindingKind(
    "SR2711",
    ERROR,
    "a Go template is invalid or fails",
    "Correct the template; clock, randomness and environment are refused, because a build must "
    "always give the same bytes.",
)
BAD_PATH = FindingKind(
    "SR2712",
    ERROR,
    "a gjson path is invalid or ambiguous",
    "Correct the path: write keys and indices with dots between them, and no dot before the first.",
)
BAD_PATTERN = FindingKind(
    "SR2713",
    ERROR,
    "a regular expression is not valid in Go",
    "Correct the pattern: RE2 syntax has no lookarounds and no back-references.",
)
BAD_EXPRESSION = FindingKind(
    "SR2714",
    ERROR,
    "a CEL expression is invalid or fails",
    "Correct the expression; its variables are value, self and other.",
)
DOUBTFUL_REPLACEMENT = FindingKind(
    "SR2715",
    WARNING,
    "a replacement probably does not do what is intended",
    "Write groups as ${1}: Go does not support \\1, and reads $1x as the group named 1x.",
)
NEEDS_PATH = FindingKind(
    "SR2716",
    ERROR,
    "a workspace has no path, and a PublishedResource requires one",
    "Set the path of the workspace in the publishing file, or remove enableWorkspacePaths.",
)
NO_NAMESPACE = FindingKind(
    "SR2717",
    ERROR,
    "a filter uses the labels of a Namespace that is not among the files of the workspace",
    "Add the Namespace to the files of the workspace, or filter by the labels of the objects.",
)
BAD_NAME = FindingKind(
    "SR2718",
    ERROR,
    "the name, namespace or label of a copy would be invalid: the API server refuses it",
    "Correct the naming of the PublishedResource, or the value that it uses.",
)
SAME_COPY = FindingKind(
    "SR2719",
    ERROR,
    "two objects would become the same copy",
    "Use workspace, namespace and name in the names of copies, as the default does.",
)
UNPUBLISHED_REFERENCE = FindingKind(
    "SR2720",
    ERROR,
    "a copy refers to an object of its workspace that has no copy",
    "Publish the kind of the referenced object, relate the object, or let the consumer refer to a "
    "shared object of the hub.",
)
UNSAYABLE = FindingKind(
    "SR2721",
    ERROR,
    "a copy would refer to another namespace, and its kind has no field for that",
    "Let both copies have the same namespace.",
)
NOT_COPIED = FindingKind(
    "SR2722",
    INFO,
    "an object of a workspace is not copied",
    "No action is required if this is intended; otherwise correct the filter, the labels, or what "
    "is published.",
)
NOT_PUBLISHED = FindingKind(
    "SR2723",
    WARNING,
    "the kind or version of an object in a workspace is not published to the workspace",
    "Publish the kind, bind its agent to the workspace, or remove the object.",
)
NO_RELATED = FindingKind(
    "SR2724",
    WARNING,
    "a related object is not among the files of the workspace",
    "Add it to the files of the workspace, or correct the name.",
)
UNEVEN_REFERENCE = FindingKind(
    "SR2725",
    ERROR,
    "a related reference gives a different number of names on each side",
    "Mutate the fields that names are read from in only one way, or use a template.",
)
MEANS_NOTHING = FindingKind(
    "SR2726",
    INFO,
    "a setting has no effect without a live agent",
    "No action is required: the setting is for a live agent.",
)
IMPROVED = FindingKind(
    "SR2727",
    INFO,
    "a copy differs from the copy that a live agent makes",
    "No action is required: text is not HTML-escaped here, and numbers stay exact. Consider it "
    "before you replace a live agent.",
)
SCHEMA_CHANGED = FindingKind(
    "SR2728",
    ERROR,
    "a published schema would change but keep its name",
    "Keep the schema in published/ as it is: kcp refuses changes. With profile v0.2 a new schema "
    "of the same names can't be published.",
)
BAD_PUBLISHED = FindingKind(
    "SR2729",
    ERROR,
    "a file in published/ was changed after a build wrote it",
    "Restore the file from Git, or acknowledge its deletion under spec.deletions.",
)
NOT_WRITTEN = FindingKind(
    "SR2730",
    ERROR,
    "a published schema is missing in published/",
    "Run spokerender build and commit what it writes.",
)
REFUSED_BY_KCP = FindingKind(
    "SR2731",
    ERROR,
    "kcp would refuse a schema or an export",
    "Correct the CRD or the projection; the finding names the rule and its source.",
)
TOO_LARGE = FindingKind(
    "SR2732",
    WARNING,
    "a schema is too large for client-side apply",
    "Use server-side apply: set ServerSideApply=true in Argo CD; Flux always uses it.",
)
CLUSTER_SCOPED_NAME = FindingKind(
    "SR2733",
    ERROR,
    "the default name of copies requires a namespace, and the kind is cluster-scoped",
    "Set naming.name, such as {{ .ClusterName }}-{{ .Object.metadata.name }}.",
)
NOWHERE = FindingKind(
    "SR2734",
    WARNING,
    "a copy attaches to no gateway, and its agent names no spokes",
    "Name the spokes of the agent in the publishing file.",
)
NO_LIVE_COPY = FindingKind(
    "SR2736",
    WARNING,
    "a copy is missing in the export of its spoke",
    "Export the objects of all published kinds from the spoke, or let the delivery engine apply "
    "the tree first.",
)
UNMUTABLE = FindingKind(
    "SR2735",
    ERROR,
    "a mutation fails on an object",
    "Correct the mutation, or the consumer's object.",
)
TOO_MANY_COPIES = FindingKind(
    "SR2737",
    ERROR,
    "workspaces make too many copies",
    "Let fewer workspaces use the same folder, or relate and mutate fewer objects.",
)
