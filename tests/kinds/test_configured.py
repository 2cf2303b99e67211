"""A catalogue with kinds that the fleet file speaks of."""

from msgspec.structs import replace

from spokerender.kinds.catalogue import Catalogue, ConfiguredKind
from spokerender.kinds.kind import Sections
from spokerender.kinds.merging import Merge, Merging, Process
from tests.kinds.test_catalogue import crd, reference

PATCHED = Merging(Process.GEP_713, rules=("limits.*",), default=Merge.PATCH)
AUTH = ("kuadrant.io", "AuthPolicy")
QUOTA = ("example.com", "QuotaPolicy")
TABLE_ONLY = Catalogue.of([])


def test_a_row_is_replaced_only_in_how_its_policies_come_together() -> None:
    row = TABLE_ONLY.kind(*AUTH)
    found = Catalogue.of([], [ConfiguredKind(*AUTH, PATCHED)])
    assert found.kind(*AUTH) == replace(row, merging=PATCHED, is_configured=True)
    assert TABLE_ONLY.kind(*AUTH) is row


def test_security_and_targets_are_replaced_where_they_are_given() -> None:
    entry = ConfiguredKind(*AUTH, PATCHED, security=False, targets=("Gateway",))
    kind = Catalogue.of([], [entry]).kind(*AUTH)
    assert (kind.security, kind.targets) == (False, ("Gateway",))


def test_what_a_controller_does_is_replaced_where_it_is_said() -> None:
    entry = ConfiguredKind(*AUTH, PATCHED, sections=Sections.OWN, within=False)
    kind = Catalogue.of([], [entry]).kind(*AUTH)
    assert (kind.controller.sections, kind.controller.within) == (Sections.OWN, False)
    assert kind.controller.listener_sets is False


def test_a_kind_with_a_crd_keeps_what_the_crd_says() -> None:
    crds = [crd(*QUOTA, "quotas", {"targetRef": reference()})]
    plain = Catalogue.of(crds).kind(*QUOTA)
    found = Catalogue.of(crds, [ConfiguredKind(*QUOTA, PATCHED, security=True)])
    assert found.kind(*QUOTA) == replace(plain, merging=PATCHED, security=True, is_configured=True)
    assert found.by_resource("example.com", "quotas") == found.kind(*QUOTA)


def test_a_kind_that_nobody_knows_otherwise_stays_assumed() -> None:
    found = Catalogue.of([], [ConfiguredKind(*QUOTA, PATCHED, targets=("Gateway",))])
    assert not found.known(*QUOTA)
    assert found.by_resource("example.com", "quotapolicies") is None
    assumed = TABLE_ONLY.kind(*QUOTA)
    assert found.kind(*QUOTA) == replace(
        assumed, merging=PATCHED, targets=("Gateway",), is_configured=True
    )


def test_other_kinds_are_as_before() -> None:
    found = Catalogue.of([], [ConfiguredKind(*AUTH, PATCHED)])
    others = {key: kind for key, kind in found.all_kinds().items() if key != AUTH}
    assert others == {key: kind for key, kind in TABLE_ONLY.all_kinds().items() if key != AUTH}
    assert found.kind("example.com", "Other") == TABLE_ONLY.kind("example.com", "Other")
