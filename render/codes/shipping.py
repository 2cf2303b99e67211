"""Shipping and retargeting: SR15xx."""

from __future__ import annotations

from render.results import ERROR, INFO, WARNING, Rule

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

RULES = (
    NOT_SHIPPED,
    UNLISTED_POLICY,
    ENTRY_DROPPED,
    TARGET_ON_SPOKE,
    LOCAL_TARGETS_APART,
    NAMESPACE_UNSAYABLE,
    IDENTITY_TWICE,
    FREE_STRING,
    HOSTNAME_CONFLICT,
    GATEWAYS_COLLAPSE,
    UNPRINTABLE,
)
