"""What is said about a plan."""

from pathlib import Path

from spokerender.edge.files import findings
from spokerender.findings.codes.table import HUNDREDS
from spokerender.findings.results import Severity
from spokerender.model.plan import FolderPlan, Plan
from spokerender.wings.delivery.engines import engine_facts

STAYS = "they stay, and are not listed in kustomization.yaml"


def said(*folders: FolderPlan, strays: tuple[str, ...] = ()) -> list[tuple[str, str, object]]:
    """Code, message up to the first colon or comma, and spokes of each finding."""
    results = findings(Plan(folders, strays=strays), Path("clusters"), engine_facts().rules)
    return [(r.code, r.message, r.spokes) for r in results]


def test_nothing_is_said_of_changes() -> None:
    assert said(FolderPlan(folder="eu", create=("a",), delete=("b",), is_new=True)) == []


def test_every_path_that_is_blocked() -> None:
    results = findings(
        Plan(
            (
                FolderPlan(folder="_fleet", blocked=(".",)),
                FolderPlan(folder="eu", blocked=("a.yaml", "shop/b.yaml")),
            )
        ),
        Path("deploy/clusters"),
        engine_facts().rules,
    )

    assert [(str(r.origin), r.severity, r.spokes) for r in results] == [
        ("deploy/clusters/_fleet:1", Severity.ERROR, ()),
        ("deploy/clusters/eu/a.yaml:1", Severity.ERROR, ("eu",)),
        ("deploy/clusters/eu/shop/b.yaml:1", Severity.ERROR, ("eu",)),
    ]
    assert {r.cure for r in results} == {"move it away or delete it, then build again"}


def test_flux_bootstrap_in_a_spoke_is_an_error_that_says_why() -> None:
    files = ("flux-system/gotk-components.yaml", "flux-system/kustomization.yaml")

    ((code, message, spokes),) = said(FolderPlan(folder="eu", foreign=files))

    assert (code, spokes) == ("SR1206", ("eu",))
    assert message == (
        "clusters/eu/flux-system makes this the path that Flux was bootstrapped with: our "
        "kustomization.yaml does not list it, and Flux would prune itself"
    )


def test_a_file_or_link_called_flux_system_is_bootstrap_too() -> None:
    assert [code for code, *_ in said(FolderPlan(folder="eu", foreign=("flux-system",)))] == [
        "SR1206"
    ]


def test_flux_bootstrap_elsewhere_is_merely_foreign_or_nothing() -> None:
    bootstrap = ("flux-system/gotk-sync.yaml",)

    assert said(
        FolderPlan(folder="_fleet", foreign=bootstrap),
        FolderPlan(folder="left", foreign=bootstrap, is_removed=True),
        FolderPlan(folder="us", foreign=("shop/flux-system/x.yaml",)),
    ) == [
        ("SR1207", f"{path} in clusters/{folder} are not ours: {STAYS}", spokes)
        for folder, path, spokes in [
            ("_fleet", *bootstrap, ()),
            ("left", *bootstrap, ("left",)),
            ("us", "shop/flux-system/x.yaml", ("us",)),
        ]
    ]


def test_many_foreign_files_are_counted() -> None:
    files = tuple(f"{number}.md" for number in range(5))

    ((code, message, _),) = said(FolderPlan(folder="eu", foreign=files))

    assert code == "SR1207"
    assert message.startswith("0.md, 1.md, 2.md and 2 more in clusters/eu are not ours")


def test_strays_are_told() -> None:
    assert said(strays=("staging/x",)) == [
        ("SR1208", "staging/x in clusters are from no build of ours", ())
    ]


def test_codes_are_stable_and_of_one_kind_each() -> None:
    codes = [kind.code for kind in HUNDREDS["Files and folders"]]

    assert codes == [f"SR12{number:02}" for number in range(1, len(codes) + 1)]
