"""Publishing: SR27xx."""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

UNCLAIMED = FindingKind(
    "SR2701",
    ERROR,
    "a PublishedResource has no agent, or several",
    "Let exactly one agent's selector in the publishing file match its labels.",
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
    "a published kind has no CRD among the files, or several that differ",
    "Put the one CRD that the service cluster has into the hub or under spec.crds. A built-in kind "
    "can't be published from files: its schema would have another name than the agent's.",
)
BAD_CRD = FindingKind(
    "SR2705",
    ERROR,
    "the CRD of a published kind is incomplete",
    "Give it group, names and versions, as the API server wants them.",
)
NO_VERSION = FindingKind(
    "SR2706",
    ERROR,
    "a version is not there, or none that is selected is served",
    "Select versions that the CRD has, at least one of them served.",
)
BAD_PROJECTION = FindingKind(
    "SR2707",
    ERROR,
    "a projection contradicts itself",
    "Give each version a name of its own; rename a single version with version, several with "
    "versions.",
)
BAD_RESOURCE = FindingKind(
    "SR2708",
    ERROR,
    "a PublishedResource is not what its agent takes",
    "Correct the field; spokerender follows upstream's CRD, and the rules that its documentation "
    "adds.",
)
PUBLISHED_SECRET = FindingKind(
    "SR2709",
    ERROR,
    "Secrets would be published",
    "Publish the kind that makes the Secret, an ExternalSecret say: a Secret is never rendered.",
)
PUBLISHED_TWICE = FindingKind(
    "SR2710",
    ERROR,
    "an export would have one group and resource twice, or two agents publish it to a workspace",
    "Project one of the two PublishedResources, or withdraw it.",
)
BAD_TEMPLATE = FindingKind(
    "SR2711",
    ERROR,
    "a Go template can't be read or carried out",
    "Mend the template; clock, chance and environment are refused, since a build must give the "
    "same bytes each time.",
)
BAD_PATH = FindingKind(
    "SR2712",
    ERROR,
    "a gjson path means nothing, or several things at once",
    "Correct the path: keys and indices with dots between, and none before the first.",
)
BAD_PATTERN = FindingKind(
    "SR2713",
    ERROR,
    "a regular expression is none of Go's",
    "Correct the pattern: RE2's syntax, without lookarounds and back-references.",
)
BAD_EXPRESSION = FindingKind(
    "SR2714",
    ERROR,
    "a CEL expression can't be read or carried out",
    "Correct the expression; value, self and other are known to it.",
)
DOUBTFUL_REPLACEMENT = FindingKind(
    "SR2715",
    WARNING,
    "a replacement hardly means what was meant",
    "Write groups as ${1}: Go knows no \\1, and $1x is the group that is named 1x.",
)
NEEDS_PATH = FindingKind(
    "SR2716",
    ERROR,
    "a workspace has no path, and a PublishedResource asks for it",
    "Give the workspace its path in the publishing file, or take enableWorkspacePaths away.",
)
NO_NAMESPACE = FindingKind(
    "SR2717",
    ERROR,
    "a filter asks for a Namespace's labels, and the Namespace is not among the workspace's files",
    "Put the Namespace into the workspace's files, or filter by the objects' own labels.",
)
BAD_NAME = FindingKind(
    "SR2718",
    ERROR,
    "a copy would have a name, namespace or label that no API server takes",
    "Correct the naming of the PublishedResource, or the value that it uses.",
)
SAME_COPY = FindingKind(
    "SR2719",
    ERROR,
    "two objects would become one copy",
    "Let the names of copies have the workspace, the namespace and the name in them, as the "
    "default does.",
)
UNPUBLISHED_REFERENCE = FindingKind(
    "SR2720",
    ERROR,
    "a copy refers to an object of its workspace that has no copy",
    "Publish the kind of what it refers to, relate it, or let the consumer refer to a shared "
    "object of the hub.",
)
UNSAYABLE = FindingKind(
    "SR2721",
    ERROR,
    "what a copy refers to is in another namespace, and its kind has no field to say so",
    "Let the copies of both land in one namespace.",
)
NOT_COPIED = FindingKind(
    "SR2722",
    INFO,
    "an object of a workspace has no copy",
    "Nothing, if this is meant; else correct the filter, the labels, or what is published.",
)
NOT_PUBLISHED = FindingKind(
    "SR2723",
    WARNING,
    "an object of a workspace is of a kind or version that nobody publishes to it",
    "Publish the kind, bind its agent to the workspace, or take the object out.",
)
NO_RELATED = FindingKind(
    "SR2724",
    WARNING,
    "a related object is named, and is not among the workspace's files",
    "Put it into the workspace's files, or correct the name.",
)
UNEVEN_REFERENCE = FindingKind(
    "SR2725",
    ERROR,
    "a related reference finds another number of names on one side than on the other",
    "Mutate no field that names are read from in other than one way, or use a template.",
)
MEANS_NOTHING = FindingKind(
    "SR2726",
    INFO,
    "a setting means nothing where no agent runs",
    "Nothing: it is for a live agent.",
)
IMPROVED = FindingKind(
    "SR2727",
    INFO,
    "a copy differs from the live agent's where that has an accident",
    "Nothing: text is not HTML-escaped here and numbers stay exact. Know it when a live agent is "
    "replaced.",
)
SCHEMA_CHANGED = FindingKind(
    "SR2728",
    ERROR,
    "a published schema would change under its name",
    "Let the schema in published/ stand as it was: kcp refuses to change one. With profile v0.2 a "
    "new schema of the same names can't be published.",
)
BAD_PUBLISHED = FindingKind(
    "SR2729",
    ERROR,
    "a file in published/ is not what build wrote there",
    "Restore the file from Git, or acknowledge under spec.deletions that it goes.",
)
NOT_WRITTEN = FindingKind(
    "SR2730",
    ERROR,
    "a published schema is not in published/",
    "Run spokerender build and commit what it writes.",
)
REFUSED_BY_KCP = FindingKind(
    "SR2731",
    ERROR,
    "kcp would refuse a schema or an export",
    "Correct the CRD or the projection; the rule and its source are in the finding.",
)
TOO_LARGE = FindingKind(
    "SR2732",
    WARNING,
    "a schema is larger than client-side apply can carry",
    "Apply it with server-side apply: Argo CD's ServerSideApply=true; Flux does so anyway.",
)
CLUSTER_SCOPED_NAME = FindingKind(
    "SR2733",
    ERROR,
    "the default name of copies needs a namespace, and the kind is cluster-scoped",
    "Set naming.name, such as {{ .ClusterName }}-{{ .Object.metadata.name }}.",
)
NOWHERE = FindingKind(
    "SR2734",
    WARNING,
    "a copy hangs on no gateway, and its agent names no spokes",
    "Name the agent's spokes in the publishing file.",
)
NO_LIVE_COPY = FindingKind(
    "SR2736",
    WARNING,
    "a copy is not in the export of its spoke",
    "Export the spoke's objects of all published kinds, or let the engine apply the tree first.",
)
UNMUTABLE = FindingKind(
    "SR2735",
    ERROR,
    "a mutation fails on an object",
    "Correct the step, or the consumer's object that it does not fit.",
)
TOO_MANY_COPIES = FindingKind(
    "SR2737",
    ERROR,
    "workspaces copy more than their files may come to",
    "Let fewer workspaces name one folder, or relate and mutate less.",
)
