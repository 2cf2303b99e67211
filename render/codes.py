"""Every kind of finding that the stages make, with its stable code. Sorted by code.

SR10xx the hub, SR11xx our own files, SR12xx the disk, SR13xx what is synced,
SR14xx placement, SR15xx shipping and retargeting, SR16xx overrides, SR17xx the spoke's
own topology, SR18xx delivery and output, SR19xx deletions.
"""

from __future__ import annotations

from render.results import Rule, Severity

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO

UNREADABLE = Rule("SR1001", ERROR, "a hub file is not YAML as Kubernetes reads it")
NOT_AN_OBJECT = Rule("SR1002", ERROR, "a document is not a Kubernetes object")
DUPLICATE = Rule("SR1003", ERROR, "one identity is defined twice")
EMPTY_HUB = Rule("SR1004", ERROR, "the hub has no object at all")
SKIPPED_FILE = Rule("SR1005", INFO, "a file of another tool lies in the hub and is passed over")
NO_NAMESPACE = Rule("SR1006", INFO, "an object names no namespace and is taken to be in `default`")
BAD_NAME = Rule("SR1007", ERROR, "a name or namespace that the API server would refuse")
MISSING_TARGET = Rule("SR1010", ERROR, "a policy or route names something that is not there")
MALFORMED_REFERENCE = Rule("SR1011", ERROR, "a reference that cannot be understood")

NO_SYNC_LIST = Rule("SR1301", ERROR, "nothing says which policy kinds to sync")
BAD_PARAMETERS = Rule("SR1302", ERROR, "a GatewayClass's parameters can't be used")
FOREIGN_PARAMETERS = Rule(
    "SR1303", INFO, "a GatewayClass's parameters belong to another controller"
)
UNKNOWN_KIND = Rule("SR1304", ERROR, "a kind to sync that nobody knows")
ASSUMED_SHAPE = Rule("SR1305", INFO, "the references of an unknown kind were found by structure")
CLASS_UNCHANGED = Rule("SR1306", ERROR, "a class with sync parameters would end up on a spoke")
UNKNOWN_CLASS = Rule("SR1307", ERROR, "a Gateway names a GatewayClass that is not in the hub")

NO_GATEWAY = Rule("SR1401", ERROR, "a placement rule names a Gateway that is not in the hub")
NO_SPOKE = Rule("SR1402", ERROR, "a rule or override names a spoke that is not declared")
EMPTY_SELECTION = Rule("SR1403", WARNING, "a spoke selector selects nobody today")
UNPLACED_GATEWAY = Rule("SR1404", WARNING, "a Gateway is placed on no spoke")
PLACED_TWICE = Rule("SR1405", ERROR, "two rules place one Gateway on the same spoke")
BAD_TEMPLATE = Rule("SR1406", ERROR, "an expression can't be evaluated")
BAD_VALUE = Rule("SR1407", ERROR, "a value of the placement is not valid where it is used")
EMPTY_SPOKE = Rule("SR1408", INFO, "a spoke gets nothing")

NOT_SHIPPED = Rule("SR1501", INFO, "an object is shipped to no spoke, and why")
UNLISTED_POLICY = Rule(
    "SR1502", WARNING, "a placed gateway is left without a policy: kind not listed"
)
ENTRY_DROPPED = Rule(
    "SR1503", INFO, "a reference to a gateway that is not on the spoke was dropped"
)
TARGET_ON_SPOKE = Rule(
    "SR1504", INFO, "a shipped policy's target is not rendered; the spoke has it"
)
LOCAL_TARGETS_APART = Rule("SR1505", ERROR, "a local policy's targets land in different namespaces")
NAMESPACE_UNSAYABLE = Rule("SR1506", ERROR, "a kind cannot name a target in another namespace")
IDENTITY_TWICE = Rule("SR1507", ERROR, "two objects have one identity on a spoke")
FREE_STRING = Rule("SR1509", WARNING, "a free text still has a name or hostname that changed")
HOSTNAME_CONFLICT = Rule("SR1510", ERROR, "a hostname is mapped in two ways")
GATEWAYS_COLLAPSE = Rule("SR1511", ERROR, "two hub gateways became one on a spoke")
UNPRINTABLE = Rule("SR1512", ERROR, "a string that kustomize cannot carry")

OVERRIDE_UNUSED = Rule("SR1601", ERROR, "an override matches nothing")
OVERRIDE_FAILED = Rule("SR1602", ERROR, "a patch can't be applied")
OVERRIDE_FORBIDDEN = Rule("SR1603", ERROR, "an override changes an identity or a gateway reference")

MISSING_SECTION = Rule("SR1701", ERROR, "a section name that its target does not have on the spoke")
DUPLICATE_TARGET = Rule(
    "SR1702", ERROR, "one target twice, or whole and section mixed, in one object"
)
NOT_ADMITTED = Rule("SR1703", ERROR, "a route or ListenerSet is no longer admitted by its parent")
HOSTNAME_OUTSIDE = Rule("SR1704", ERROR, "a route's hostname is left outside its listener")
NO_GRANT = Rule("SR1705", ERROR, "a reference crosses a namespace without a ReferenceGrant")
DANGLING = Rule("SR1706", ERROR, "a reference in a spoke's tree resolves to nothing")

BAD_DELIVERY = Rule("SR1801", ERROR, "a delivery file can't be made")

DELETION = Rule("SR1901", ERROR, "a deletion that nobody acknowledged")
STALE_ACKNOWLEDGEMENT = Rule("SR1902", WARNING, "an acknowledged deletion that does not happen")
UNKNOWN_DELETION = Rule("SR1903", ERROR, "--allow-delete names nothing that would go")
