"""Shipping (SR15xx), overrides (SR16xx), delivery (SR18xx) and deletions (SR19xx)."""

from __future__ import annotations

from spokerender.findings.results import ERROR, INFO, WARNING, FindingKind

NOT_SHIPPED = FindingKind(
    "SR1501",
    INFO,
    "an object is shipped to no spoke, for the reason that the finding gives",
    "No action is required if the reason is intended. Otherwise place the gateway, or list the "
    "kind.",
)
UNLISTED_POLICY = FindingKind(
    "SR1502",
    WARNING,
    "a policy of a placed gateway is not shipped because its kind is not listed",
    "List the kind in the parameters of the GatewayClass or under spec.policiesToSync of "
    "fleet.yaml, or remove the policy from the hub.",
)
ENTRY_DROPPED = FindingKind(
    "SR1503",
    INFO,
    "a reference to a gateway that is not on the spoke was removed",
    "No action is required: the reference would name nothing on that spoke. To keep it, place the "
    "other gateway on the spoke, too.",
)
TARGET_ON_SPOKE = FindingKind(
    "SR1504",
    INFO,
    "the target of a shipped policy is not rendered; the spoke must provide it",
    "Make sure that the spoke has the object; spokerender explain lists what each spoke requires.",
)
LOCAL_TARGETS_APART = FindingKind(
    "SR1505",
    ERROR,
    "the targets of a local policy move to different namespaces",
    "Write one policy, or one ReferenceGrant, for each target that moves.",
)
NAMESPACE_UNSAYABLE = FindingKind(
    "SR1506",
    ERROR,
    "a reference of this kind can't name a target in another namespace",
    "Keep the gateway in its namespace, or move the other targets of the policy to the same one.",
)
LABEL_UNSAYABLE = FindingKind(
    "SR1516",
    ERROR,
    "the name of a gateway on the spoke is too long for the label that an object selects it by",
    "Set as.name of the rule to a name of at most 63 characters.",
)
IDENTITY_TWICE = FindingKind(
    "SR1507",
    ERROR,
    "two objects have the same identity on a spoke",
    "Give the two different names or namespaces on the hub, or place their gateways on different "
    "spokes.",
)
FREE_STRING = FindingKind(
    "SR1509",
    WARNING,
    "a free-form text still contains a name or hostname that changes on the spoke",
    "If the text means the gateway, change it per spoke with an override. Otherwise leave it as "
    "it is.",
)
HOSTNAME_CONFLICT = FindingKind(
    "SR1510",
    ERROR,
    "a hostname has two mappings",
    "Give the rules of these gateways the same hostnames, or split the route.",
)
GATEWAYS_COLLAPSE = FindingKind(
    "SR1511",
    ERROR,
    "two hub gateways become one on a spoke",
    "Give one of the gateways another name or namespace in `as` of its rule, or let the policies "
    "target different sections.",
)
UNPRINTABLE = FindingKind(
    "SR1512",
    ERROR,
    "a string has a character that kustomize can't carry",
    "Remove the character that the finding names, or encode the string.",
)
LEFT_ON_HUB = FindingKind(
    "SR1513",
    WARNING,
    "an object of a synced kind is on no spoke",
    "Attach it to a placed Gateway, list its kind, or remove it from the hub.",
)
NOT_APPLIED = FindingKind(
    "SR1514",
    ERROR,
    "an annotation or label keeps a delivery engine from applying an object as it is in the tree",
    "Remove the annotation or label. To keep the object off a spoke, remove it from the hub or do "
    "not place it there.",
)
MARKED = FindingKind(
    "SR1515",
    WARNING,
    "an annotation or label makes a delivery engine do more with an object than apply it",
    "Remove the annotation or label, or accept it under spec.suppressions of fleet.yaml.",
)
OVERRIDE_UNUSED = FindingKind(
    "SR1601",
    ERROR,
    "an override matches nothing",
    "Correct the target or the spokes of the override, or set optional: true if no match is "
    "required.",
)
OVERRIDE_FAILED = FindingKind(
    "SR1602",
    ERROR,
    "a patch can't be applied",
    "Correct the patch: each of its paths must exist in the rendered object.",
)
OVERRIDE_FORBIDDEN = FindingKind(
    "SR1603",
    ERROR,
    "an override changes an identity or a gateway reference",
    "Change names, namespaces and references with `as` of the placement rule, which rewrites "
    "every reference.",
)
OVERRIDE_INVALID = FindingKind(
    "SR1604",
    ERROR,
    "an override makes an object that the API server refuses",
    "Correct the override: listeners must be complete and distinct, hostnames in lower case, "
    "labels and annotations strings.",
)
SIMILAR_KEY = FindingKind(
    "SR1605",
    WARNING,
    "an override adds a key that is almost equal to an existing one",
    "Correct the key. If both keys are intended, add the CRD of the kind to the hub, or add the "
    "key with a JSON patch.",
)
TOO_MANY_OVERRIDES = FindingKind(
    "SR1606",
    ERROR,
    "overrides make too many changes",
    "Combine overrides that match the same objects, or write in the hub what is the same on all "
    "spokes: each override is applied to each object that it matches.",
)
BAD_DELIVERY = FindingKind(
    "SR1801",
    ERROR,
    "a delivery file can't be rendered",
    "Correct the template, or the settings under spec.delivery in fleet.yaml that it uses.",
)
MISPLACED = FindingKind(
    "SR1805",
    ERROR,
    "a delivery engine would look for the trees in the wrong folder",
    "Set `path` of the engine to the folder of the trees, relative to the root of their "
    "repository. It is never derived from the checkout, so that the same sources always render to "
    "the same bytes.",
)
DELETION = FindingKind(
    "SR1901",
    ERROR,
    "a deletion is not acknowledged",
    "Restore what would be deleted. If the deletion is intended, add it to spec.deletions in "
    "fleet.yaml with a reason, or build once with --allow-delete.",
)
STALE_ACKNOWLEDGEMENT = FindingKind(
    "SR1902",
    WARNING,
    "an acknowledged deletion does not happen",
    "Correct the name in spec.deletions of fleet.yaml. An entry whose deletion has happened is an "
    "info: remove it eventually, because it would allow the same deletion again.",
)
UNKNOWN_DELETION = FindingKind(
    "SR1903",
    ERROR,
    "--allow-delete names nothing that would be deleted",
    "Remove the option, or name the deletion exactly as the refused build does.",
)
UNREADABLE_BASE = FindingKind(
    "SR1904",
    WARNING,
    "the fleet file of the base revision is invalid",
    "Correct it in that revision, or compare with a revision in which it is valid: it says where "
    "the output was.",
)
UNKNOWN_BASE = FindingKind(
    "SR1905",
    ERROR,
    "the base revision has no such project, and its former folder can't be determined",
    "Give each project a metadata.name in fleet.yaml, or move one project at a time. Where no "
    "project was removed this one is new, and the finding is an info.",
)
HAND_MADE = FindingKind(
    "SR1906",
    WARNING,
    "a committed kustomization does more than list the files of its spoke",
    "Check what it does: a build replaces it by one that only lists files, and the guard compares "
    "files only. Express its purpose in the hub or in the placement.",
)
REDIRECTED = FindingKind(
    "SR1907",
    WARNING,
    "a delivery engine would take the trees from another place than before, or stop applying them",
    "Check the change under delivery in fleet.yaml: other trees would take effect, and they are "
    "not compared.",
)
