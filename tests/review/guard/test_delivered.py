"""What delivery loses: the objects by which engines bring spokes their trees."""

from spokerender.formats import yamlio
from spokerender.model.plan import HEADER
from spokerender.review.guard.claims import Loss
from spokerender.review.guard.refusals import refuse_removals, report_weaknesses
from spokerender.wings.delivery.engines import engine_facts
from tests.review.guard.trees import Files, Output, lost, removed
from tests.support import cases, manifest, rows_of, text_of

APPLICATION: str = rows_of(__file__, "application")
SET = manifest("ApplicationSet X", api="argoproj.io/v1alpha1")
KUSTOMIZATION = manifest("Kustomization X/eu", api="kustomize.toolkit.fluxcd.io/v1")
WORK = manifest("ManifestWork X", api="work.open-cluster-management.io/v1")
SOURCE = manifest("GitRepository X", api="source.toolkit.fluxcd.io/v1")
ROUTE = manifest("HTTPRoute a")
EU: Files = {"a.yaml": HEADER + ROUTE.encode()}
SPOKES: Output = {"eu": EU, "us": EU}


def fleet(**files: str) -> Files:
    """The fleet's folder, by engine: `argocd`, or `argocd_b` for a second file."""
    return {
        f"{name.replace('_', '/')}/x.yaml": HEADER + text.encode() for name, text in files.items()
    }


def gone(old: Files, new: Files, after: Output = SPOKES) -> list[str]:
    """What goes of delivery, as far as that is no spoke's own going."""
    before: Output = {**SPOKES, "_fleet": old}
    then: Output = {"eu": {}, "us": {}, **after, "_fleet": new}
    return [
        str(item.ref)
        for removal in removed(before, then)
        if removal.loss is Loss.DELIVERY
        for item in removal.lost
    ]


def test_an_engine_goes() -> None:
    for text in (SET, APPLICATION, KUSTOMIZATION, WORK):
        assert len(gone(fleet(engine=text), {})) == 1
        assert len(gone(fleet(engine=text, other=SOURCE), fleet(other=SOURCE))) == 1


def test_an_object_is_called_otherwise() -> None:
    for text in (SET, APPLICATION, KUSTOMIZATION):
        assert len(gone(fleet(a=text), fleet(a=text.replace("X", "b")))) == 1
    assert gone(fleet(a=SET), fleet(a=SET.replace("X", "b"))) == ["ApplicationSet X"]


def test_what_an_engine_divides_anew_is_nobodys_business() -> None:
    """OCM's objects bring single objects, whose going is told by itself."""
    assert gone(fleet(a=WORK, a_b=WORK.replace("X", "b")), fleet(a=WORK)) == []
    assert gone(fleet(a=SET, a_b=SOURCE), fleet(a=SET)) == []


def test_it_moves_to_another_file() -> None:
    assert gone(fleet(a=f"{SET}---\n{SOURCE}"), fleet(a=SOURCE, a_b=SET)) == []


def test_it_goes_with_its_spoke() -> None:
    for text in (APPLICATION, KUSTOMIZATION):
        other = text.replace("eu", "us").replace("X", "y")
        assert gone(fleet(a=f"{text}---\n{other}"), fleet(a=other), {"us": EU}) == []
        assert gone(fleet(a=f"{text}---\n{other}"), {}, {}) == []
    assert gone(fleet(a=SET), {}, {}) == []


def moved(old: str, new: str, after: Output = SPOKES) -> list[str]:
    """The objects that would bring a tree to another cluster than before."""
    before: Output = {**SPOKES, "_fleet": fleet(a=old)}
    then: Output = {"eu": {}, "us": {}, **after, "_fleet": fleet(a=new)}
    return [
        str(item.ref)
        for removal in removed(before, then)
        if removal.loss is Loss.DELIVERY
        for item in removal.lost
        if "no longer be applied to the cluster" in item.guarded
    ]


def application(spoke: str, destination: str) -> str:
    text = APPLICATION.replace("X", f"spokes-{spoke}").replace("clusters/eu", f"clusters/{spoke}")
    return text.replace("}}\n", f"}}, destination: {destination}}}\n")


def application_set(generator: str, destination: str) -> str:
    spec = f"{{generators: [{generator}], template: {{spec: {{destination: {destination}}}}}}}"
    return f"{SET}spec: {spec}\n"


def listed(**destinations: str) -> str:
    elements = ", ".join(
        f"{{path: {{basename: {spoke}}}, destination: {place}}}"
        for spoke, place in destinations.items()
    )
    return f"{{list: {{elements: [{elements}]}}}}"


BY_NAME = '{name: "{{.path.basename}}"}'
GIT = "{git: {directories: [{path: clusters/*}]}}"
BY_LABEL = f'{{matrix: {{generators: [{GIT}, {{clusters: {{selector: {{a: "LABEL"}}}}}}]}}}}'
BOTH = "---\n".join(application(spoke, f"{{name: {spoke}}}") for spoke in ("eu", "us"))
SETS = application_set(GIT, BY_NAME)
LABELLED = application_set(BY_LABEL, "{server: x}")
FLUX = KUSTOMIZATION + "spec: {kubeConfig: {secretRef: {name: eu-kubeconfig}}}\n"
WORKS = WORK.replace("{name: X}", "{name: works, namespace: eu}")
REPLICAS = (
    WORK.replace("ManifestWork\n", "ManifestWorkReplicaSet\n").replace(
        "{name: X}", "{name: works, namespace: p}"
    )
    + "spec: {placementRefs: [{name: edge}]}\n"
)


@cases(*rows_of(__file__, "a_tree_goes_to_another_cluster"))
def test_a_tree_goes_to_another_cluster(old: str, new: str, count: int) -> None:
    """Where a tree goes is guarded as what it holds, for each engine and each of its objects."""
    assert len(moved(old, new)) == count
    assert moved(old, old) == []


def test_a_spoke_that_goes_takes_its_cluster_along() -> None:
    us: Output = {"us": EU, "eu": {}}
    assert moved(BOTH, application("us", "{name: us}"), us) == []


def test_every_kind_that_carries_says_where_to() -> None:
    texts = {"ApplicationSet": SETS, "Application": BOTH, "Kustomization": FLUX}
    texts |= {"ManifestWork": WORKS, "ManifestWorkReplicaSet": REPLICAS}
    for engine in engine_facts().objects:
        for carrier in engine.carriers:
            (data, *_), _ = yamlio.read(texts[carrier.kind].encode(), "")
            assert [*carrier.reaches(data.value, ["eu", "us"])]


ARGO = text_of(__file__, "delivered_argo.yaml")
GENERATED = text_of(__file__, "delivered.yaml")
FLUXED = text_of(__file__, "delivered_fluxed.yaml")
SOURCES = text_of(__file__, "delivered_sources.yaml")
PROJECT = text_of(__file__, "delivered_project.yaml")
OCM_WORK = text_of(__file__, "delivered_ocm_work.yaml")
OCM_SET = (
    OCM_WORK.replace("ManifestWork\n", "ManifestWorkReplicaSet\n")
    .replace("spec:\n", "spec:\n  cascadeDeletionPolicy: Background\n  manifestWorkTemplate:\n")
    .replace("\n  deleteOption", "\n   deleteOption")
    .replace("\n  workload", "\n   workload")
    .replace("\n  manifestConfigs", "\n   manifestConfigs")
    .replace("\n  - ", "\n   - ")
)
LABELS = rows_of(__file__, "labels")
TEXTS = {
    "argo": ARGO,
    "generated": GENERATED,
    "fluxed": FLUXED,
    "sources": SOURCES,
    "project": PROJECT,
    "ocm work": OCM_WORK,
    "ocm set": OCM_SET,
}


def patches(engine: str, patch: str, indent: str = "  ") -> str:
    lines = [
        "patches:",
        "- target: {kind: .*}",
        "  patch: |",
        *(f"    {it}" for it in patch.splitlines()),
    ]
    lines = ["kustomize:", *(f"  {line}" for line in lines)] if engine == "argo" else lines
    return "".join(f"{indent}{line}\n" for line in lines)


WORKS_OF_OCM, LEAVING = (OCM_WORK, OCM_SET), ("ReadOnly", "CreateOnly")
ANY = "apiVersion: any/v1\nkind: Any\nmetadata:\n  name: any\n"
WAVE = f"{ANY}  annotations: {{argocd.argoproj.io/sync-wave: '-1'}}"
NO_SUBSTITUTE = f"{ANY}  annotations: {{kustomize.toolkit.fluxcd.io/substitute: disabled}}"
HIDDEN = f"{ANY}  annotations: {{config.kubernetes.io/local-config: 'true'}}"
OPEN = f"{ANY}spec: {{rules: {{authorization: null}}}}"
GOES = f"$patch: delete\n{ANY}"
REMOVES = "- {op: remove, path: /spec/rules}"


@cases(
    *(
        (TEXTS[text], *row)
        for text, *row in rows_of(__file__, "a_field_by_which_a_tree_or_protection_goes_is_refused")
    ),
    *(
        (
            ARGO,
            "  source: {",
            f"  source:\n{patches('argo', patch, '    ')}  was: {{",
            "kustomize.patches",
        )
        for patch in (OPEN, GOES, REMOVES, HIDDEN, f"{WAVE}\n---\n{OPEN}", "{")
    ),
    (GENERATED, "  template:",
     LABELS.replace("}}\n", "}}\n    spec: {project: x}\n") + "  template:", "templatePatch"),
    (GENERATED, "  template:", LABELS.replace('"prod"', 'printf "a"') + "  template:",
     "templatePatch"),
    *(
        (FLUXED, "  interval", f"{patches('flux', patch)}  interval", "spec.patches")
        for patch in (OPEN, GOES, REMOVES, HIDDEN, f"{NO_SUBSTITUTE}\nspec: {{}}")
    ),
)  # fmt: skip
def test_a_field_by_which_a_tree_or_protection_goes_is_refused(
    text: str, old: str, new: str, field: str
) -> None:
    """It is told with its old and its new value; the entry names the engine's object."""
    changed = text.replace(old, new)
    assert changed != text
    for after in (fleet(a=changed), fleet(b=changed)):
        refused, told = delivered(fleet(a=text), after)
        (message,) = [it for it in refused if field in it]
        assert " -> " in message
        assert "lost: opens" in message
        assert not any(field in it for it in told)


@cases(
    *(
        (TEXTS[text], *row)
        for text, *row in rows_of(__file__, "a_field_that_changes_what_an_engine_does_is_told")
    ),
    *(
        (it, "workload", "executor: {subject: {type: ServiceAccount}}\n   workload", "may apply")
        for it in (OCM_SET, OCM_WORK.replace("\n  ", "\n   "))
    ),
)  # fmt: skip
def test_a_field_that_changes_what_an_engine_does_is_told(
    text: str, old: str, new: str, words: str
) -> None:
    refused, told = delivered(fleet(a=text), fleet(a=text.replace(old, new)))
    assert refused == []
    (message,) = told
    assert message.startswith("SR1907")
    assert words in message


@cases(
    *(
        (TEXTS[text], *row)
        for text, *row in rows_of(__file__, "a_field_that_does_nothing_to_trees_is_silent")
    ),
    (ARGO, "  source: {", f"  source:\n{patches('argo', WAVE, '    ')}    a: {{"),
    (GENERATED, "  template:", f"{LABELS}  template:"),
    (FLUXED, "  interval", f"{patches('flux', NO_SUBSTITUTE)}  interval"),
    *(
        (
            it,
            "- {res",
            "- {resourceIdentifier: {name: b}, updateStrategy: {type: ServerSideApply}}\n  - {res",
        )
        for it in (OCM_WORK, OCM_SET.replace("\n   - ", "\n  - "))
    ),
)  # fmt: skip
def test_a_field_that_does_nothing_to_trees_is_silent(text: str, old: str, new: str) -> None:
    changed = text.replace(old, new).replace(
        "    a: {repoURL", "    repoURL: https://a.example\n    x: {repoURL"
    )
    refused, told = delivered(fleet(a=text), fleet(a=changed))
    assert not any("cluster" not in it for it in refused)
    assert told == []


def delivered(old: Files, new: Files) -> tuple[list[str], list[str]]:
    """What is refused of a change of the fleet's folder, and what is warned of."""
    found = lost({**SPOKES, "_fleet": old}, {"eu": {}, "us": {}, **SPOKES, "_fleet": new})
    refused = [f"{it.message} {it.cure}" for it in refuse_removals(found, None)]
    return refused, [f"{it.code} {it.message}" for it in report_weaknesses(found)]


def test_objects_that_change_alike_are_told_once() -> None:
    every = [ARGO.replace("eu", name) for name in ("eu", "us")]
    old, off = (
        "---\n".join(it).replace("selfHeal: true", v)
        for it, v in ((every, "selfHeal: true"), (every, "selfHeal: false"))
    )
    refused, (message,) = delivered(fleet(a=old), fleet(a=off))
    assert refused == []
    assert message.endswith("The same is true of Application argocd/spokes-us")
    (message,), told = delivered(fleet(a=old), fleet(a=old.replace("a.example", "b.example")))
    assert told == []
    assert "Application argocd/spokes-eu and Application argocd/spokes-us would change" in message


def test_a_generator_that_leaves_a_spoke_out_is_a_loss() -> None:
    less = GENERATED.replace(
        "{path: clusters/_fleet", "{path: clusters/eu, exclude: true}, {path: clusters/_fleet"
    )
    assert moved(GENERATED, less) == ["ApplicationSet argocd/spokes"]
    assert moved(GENERATED, GENERATED.replace("clusters/_fleet", "clusters/_x")) == []
