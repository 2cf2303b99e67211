"""Trees of spokes from YAML, and what the guard finds in a change from one to another."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import pytest

from spokerender.findings.results import ERROR, Result
from spokerender.formats import yamlio
from spokerender.judging.cluster import Anything, Knowledge
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Origin, Ref, Spoke
from spokerender.model.plan import HEADER, KUSTOMIZATION, FolderPlan
from spokerender.rendering.values.bundles import Blueprint, Bundle
from spokerender.rendering.values.layout import ALL_IN_ONE, kustomization, one_file, path_of
from spokerender.rendering.values.trees import ObjectText
from spokerender.review.comparison.documents import Before, ObjectReader, documents
from spokerender.review.guard.claims import Losses, Removal
from spokerender.review.guard.refusals import refuse_removals
from spokerender.review.guard.removals import GuardContext, find_losses
from spokerender.review.values import LostObject
from spokerender.wings.delivery.engines import engine_facts
from tests.support import rows_of
from tests.support.project import PLACEMENT, rendered

CATALOGUE = Catalogue.of([])
KNOWN = GuardContext(
    rendered("", f"{PLACEMENT}  spokes: []\n"),
    Knowledge(CATALOGUE, unseen=Anything()),
    engine_facts().objects,
)

Files = Mapping[str, bytes]
Output = Mapping[str, Files]
Make = Callable[..., Files]

GATEWAY: str = rows_of(__file__, "gateway")
ROUTE: str = rows_of(__file__, "route")
POLICY: str = rows_of(__file__, "policy")
ROUTE_POLICY: str = rows_of(__file__, "route_policy")
LIMITS: str = rows_of(__file__, "limits")
DNS: str = rows_of(__file__, "dns")
ENVOY: str = rows_of(__file__, "envoy")
"""It finds its target by a label."""
GATEWAY_TARGET = "group: gateway.networking.k8s.io, kind: Gateway"

AUTH_REF = Ref("kuadrant.io", "AuthPolicy", "shop", "auth")
CART_AUTH_REF = Ref("kuadrant.io", "AuthPolicy", "shop", "cart-auth")
DNS_REF = Ref("kuadrant.io", "DNSPolicy", "shop", "dns")
GATEWAY_REF = Ref("gateway.networking.k8s.io", "Gateway", "shop", "public")
ROUTE_REF = Ref("gateway.networking.k8s.io", "HTTPRoute", "shop", "cart")


def routes(count: int) -> list[str]:
    """So many routes on the gateway, `r0` and on."""
    return [ROUTE.replace("cart", f"r{number}") for number in range(count)]


def tree(*objects: str) -> Files:
    """The files of a spoke, one for each object."""
    files = {_path(text): HEADER + text.lstrip().encode() for text in objects}
    return {KUSTOMIZATION: kustomization(files), **files}


def one_file_tree(*objects: str) -> Files:
    """The files of a spoke, all objects in one."""
    documents = [(_path(text), text.lstrip().encode()) for text in objects]
    files = {ALL_IN_ONE: one_file(documents)} if documents else {}
    return {KUSTOMIZATION: kustomization(files), **files}


def _path(text: str) -> str:
    (document,), problems = yamlio.read(text.encode(), "")
    assert not problems
    data = document.value
    metadata = data["metadata"]
    group = data["apiVersion"].rpartition("/")[0]
    return path_of(Ref(group, data["kind"], metadata.get("namespace", ""), metadata["name"]))


def changes(old: Output, new: Output) -> list[FolderPlan]:
    """What changes in each folder."""
    return [
        FolderPlan(
            folder=folder,
            create=tuple(sorted(after.keys() - before.keys())),
            update=tuple(sorted(p for p in before.keys() & after.keys() if before[p] != after[p])),
            delete=tuple(sorted(before.keys() - after.keys())),
            is_new=not before,
            is_removed=not after,
        )
        for folder in sorted({*old, *new})
        if (before := old.get(folder, {})) != (after := new.get(folder, {}))
    ]


class After:
    """An output that is not rendered but written by hand: every object is a variant of its own."""

    def __init__(self, output: Output) -> None:
        """`output` is what shall be there."""
        self._output = output
        self._reader = ObjectReader(CATALOGUE)

    @property
    def folders(self) -> list[str]:
        """Its folders."""
        return [folder for folder, files in self._output.items() if files]

    def paths(self, folder: str) -> Collection[str]:
        """The files of a folder."""
        return self._output[folder].keys()

    def files(self, folder: str, paths: Collection[str] | None = None) -> Files:  # noqa: ARG002
        """The files of a folder, with what they say."""
        return self._output[folder]

    def written(self, folder: str, paths: Collection[str] | None = None) -> list[ObjectText]:
        """The objects in the files of a folder."""
        files = self._output[folder]
        texts = documents(files if paths is None else {path: files[path] for path in paths})
        return [ObjectText(self._reader.parse(text), text) for text in texts]

    def bundle(self, folder: str) -> Bundle:
        """All of them, as a spoke gets them."""
        variants = tuple(item.variant for item in self.written(folder) if item.variant is not None)
        spoke = Spoke(folder, {}, {}, lambda: Origin("placement.yaml"))
        return Bundle(spoke, Blueprint((), (), variants, ()), {}, ())


def reading(output: Output) -> Before:
    """What was in the folders of an output."""

    def read(folder: str, paths: Collection[str] | None) -> Files:
        files = output[folder]
        return files if paths is None else {path: files[path] for path in paths}

    return read


def lost(old: Output, new: Output) -> Losses:
    """What the change takes away, and what it means for requests."""
    return find_losses(reading(old), After(new), changes(old, new), KNOWN)


def removed(old: Output, new: Output) -> tuple[Removal, ...]:
    """The objects that the change takes away."""
    return lost(old, new).removals


def lost_on_spoke(old: Files, new: Files) -> tuple[LostObject, ...]:
    """What one spoke loses that stays a spoke."""
    return tuple(item for removal in removed({"eu": old}, {"eu": new}) for item in removal.lost)


def refuse(losses: Losses, *acknowledged: Any, **others: Any) -> tuple[Result, ...]:
    """What a build refuses; of what gets no answer any more it warns alone."""
    results = refuse_removals(losses, *acknowledged, **others)
    return tuple(result for result in results if result.severity is ERROR)


def told(old: Files, new: Files) -> list[str]:
    """What is to be acknowledged in the change of one spoke: each object, and how it is lost."""
    refused = refuse(lost({"eu": old}, {"eu": new}))
    return [f"{entry['ref']} {entry['lost']}" for it in refused for entry in entries_of(it)]


def entries_of(result: Result) -> Any:
    """The entries of fleet.yaml that a refusal says."""
    (document,), problems = yamlio.read(result.cure.partition("\n")[2].encode(), "")
    assert not problems
    return document.value["spec"]["deletions"]


BOTH_LAYOUTS = pytest.mark.parametrize("files", [tree, one_file_tree], ids=["object", "spoke"])
