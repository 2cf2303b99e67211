"""The objects that spokes must have after a change, and did not need before the change."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from spokerender.explain.spokes import NeedKey, list_related_secrets, read_object_needs
from spokerender.explain.values import NewNeed
from spokerender.formats import yamlio
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import NAMESPACE, Origin, Ref, identity
from spokerender.model.memo import memoised
from spokerender.model.plan import Plan
from spokerender.rendering.values import layout
from spokerender.rendering.values.bundles import Blueprint, Bundle, Variant, find_slots
from spokerender.rendering.values.own_texts import SharedByOwnTexts
from spokerender.rendering.values.rendered import Rendered

_User = tuple[Ref, Origin]
"""An object of the hub that needs another object."""


def find_new_needs(
    plan: Plan,
    rendered: Rendered,
    read_old: Callable[[str, Collection[str]], Mapping[str, bytes]],
) -> tuple[NewNeed, ...]:
    """Return the new needs of the files that a plan changes, sorted; new spokes are left out.

    `read_old` reads files of a folder as they were before the change.
    """
    catalogue = rendered.hub.catalogue
    needs = _VariantNeeds(catalogue)
    read = SharedByOwnTexts(
        partial(_read_needs, catalogue), lambda folder: rendered.bundles[folder].own_texts()
    )
    spokes: dict[NeedKey, list[str]] = {}
    users: dict[NeedKey, _User] = {}
    namespaces = not rendered.settings.creates_namespaces
    has_secrets = bool(rendered.contribution.secrets)
    for item in plan.folders:
        folder, bundle = item.folder, rendered.bundles.get(item.folder)
        # Everything that a new spoke needs is new; `explain` lists it.
        if bundle is None or item.is_new:
            continue
        earlier, later = (*item.update, *item.delete), (*item.create, *item.update)
        paths, new = {*earlier, *later}, rendered.tree.files(folder, later)
        after = {need for path in later for need in read(folder, new[path])}
        # Most changes leave no need open, whatever there was before: nothing has to be read.
        if not has_secrets and all(needs.is_old(need, bundle, paths) for need in after):
            continue
        old = read_old(folder, earlier)
        before = {need for path in earlier for need in read(folder, old.get(path, b""))}
        # A tree of which every file changed, and which needed nothing, is as good as new.
        if before or paths != set(rendered.tree.paths(folder)):
            if has_secrets:
                texts = [(old.get(path, b""), new.get(path, b"")) for path in sorted(paths)]
                secrets = {*_list_new_secrets(rendered, bundle, texts)}
                # A Secret of a workspace is listed with its name there, so its plain form goes.
                names = {need[0] for need in secrets if need[0].name}
                after = {need for need in after if need[0] not in names} | secrets
            left, users_here = _left(after - before, bundle, paths, needs)
            users = users_here | users
            for need in left:
                if namespaces or need[0].kind != "Namespace":
                    spokes.setdefault(need, []).append(folder)
    return tuple(
        NewNeed(*need, tuple(names), *users.get(need, ())) for need, names in sorted(spokes.items())
    )


def _list_new_secrets(
    rendered: Rendered, bundle: Bundle, texts: Sequence[tuple[bytes, bytes]]
) -> Iterator[NeedKey]:
    """Yield the Secrets that a spoke's copies of workspaces' objects (kcp) need only now.

    `texts` are the changed files, each old and new. A Secret is yielded if only copies in these
    files need it, and if these copies are new or a file contains the Secret's name only now.
    """
    old_refs, new_refs = (
        {identity(document.value) for text in side for document in yamlio.read(text, "")[0]}
        for side in zip(*texts, strict=True)
    )
    for secret in list_related_secrets(rendered, bundle):
        copies, name = {*secret.needed_by}, secret.ref.name.encode()
        # Looked for as bytes: any field of a copy may name the Secret.
        is_named_now = any(name in new and name not in old for old, new in texts)
        if copies <= new_refs and (is_named_now or not copies & old_refs):
            yield secret.ref, secret.selector, secret.note


def _read_needs(catalogue: Catalogue, data: bytes) -> frozenset[NeedKey]:
    documents, _ = yamlio.read(data, "")
    objects = ((identity(document.value), document.value) for document in documents)
    needs = (_needs(ref, value, catalogue) for ref, value in objects if ref is not None)
    return frozenset(chain.from_iterable(needs))


def _needs(ref: Ref, data: Mapping[str, Any], catalogue: Catalogue) -> Iterator[NeedKey]:
    yield from read_object_needs(ref, data, catalogue)
    if ref.namespace:
        yield Ref(*NAMESPACE, "", ref.namespace), "", ""


class _VariantNeeds:
    """The needs of a fleet's objects; each object is read once for all spokes."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def is_old(self, need: NeedKey, bundle: Bundle, paths: set[str]) -> bool:
        """Return whether an object with the need is in an unchanged file (not in `paths`)."""
        written = (layout.path_of(bundle.ref(it.ref)) for it in self._find(bundle.blueprint, need))
        return layout.ALL_IN_ONE not in paths and any(path not in paths for path in written)

    def list_users(self, need: NeedKey, bundle: Bundle) -> list[Variant]:
        """Return the objects of a spoke that have a need."""
        # Needs with slots in them are other needs on each spoke.
        slotted = self._list_slotted(bundle.blueprint)
        others = (it for it in slotted if need in bundle.share(self._read(it)))
        return [*self._find(bundle.blueprint, need), *others]

    @memoised
    def _list_slotted(self, blueprint: Blueprint) -> list[Variant]:
        return [item for item in blueprint.variants if find_slots(self._read(item))]

    @memoised
    def _find(self, blueprint: Blueprint, need: NeedKey) -> list[Variant]:
        return [item for item in blueprint.variants if need in self._read(item)]

    @memoised
    def _read(self, variant: Variant) -> frozenset[NeedKey]:
        return frozenset(_needs(variant.ref, variant.object, self._catalogue))


def _left(
    open_needs: set[NeedKey], bundle: Bundle, paths: set[str], needs: _VariantNeeds
) -> tuple[set[NeedKey], dict[NeedKey, _User]]:
    """Return the new needs that no object meets, and for each of them an object that has it."""
    # Most spokes have no open need, and need no list of Gateways.
    placed = {bundle.ref(place.ref) for place in bundle.blueprint.placed} if open_needs else set()
    left = {need for need in open_needs if need[0] not in placed and bundle.find(need[0]) is None}
    users: dict[NeedKey, _User] = {}
    is_one_file = layout.ALL_IN_ONE in paths
    for need in tuple(left):
        variants = needs.list_users(need, bundle)
        written = (layout.path_of(bundle.ref(variant.ref)) for variant in variants)
        # An unchanged file that has the need shows that the need is not new.
        if not (is_one_file or paths.issuperset(written)):
            left.remove(need)
        elif variants:
            users[need] = variants[0].manifest.ref, variants[0].manifest.origin
    return left, users
