"""Marks: annotations and labels that delivery engines (Argo CD, Flux, OCM) write or obey.

Each mark has a source, and is a row in the module of its engine. An engine that obeys a mark does
not simply apply the object: anybody who can edit the hub or the placement could use a mark to
bypass the deletion guard, as the object is in the tree but the engine does not apply it.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from msgspec import Struct

OF_A_SERVER = frozenset(
    {
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "finalizers",
        "generation",
        "managedFields",
        "ownerReferences",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)
"""The fields that an API server sets in an object's metadata (apimachinery, `ObjectMeta`)."""


Ask = Callable[[Callable[[str], bool], str], bool]


class Mark(Struct, frozen=True):
    """An annotation that a delivery engine obeys.

    `key` is its key, or a domain with its `/` for all keys of that domain. `effect` completes the
    message that names the mark. `acts` returns whether a value has the effect. If `is_label`, a
    label has the effect, too. `is_refused` is true if the spoke would not get the object as the
    tree has it, or not under its name.
    """

    key: str
    effect: str
    is_refused: bool = True
    is_label: bool = False
    acts: Callable[[str], bool] = lambda _: True


weak_mark = partial(Mark, is_refused=False)
"""Makes a mark that does not keep the spoke from getting the object."""


class Marked(Struct, frozen=True):
    """A mark on an object, with the field and key at which it is."""

    field: str
    key: str
    mark: Mark


class Marks(Struct, frozen=True, eq=False):
    """Labels and annotations of delivery engines: obeyed ones (marks), written and protecting ones.

    `annotations` and `labels` are keys that engines write into the hub's objects for their own
    bookkeeping: they are never copied to a spoke. `protections` are functions from an object's
    annotations to annotations with which an engine never deletes the object.
    """

    by_key: Mapping[str, tuple[Mark, ...]] = {}
    annotations: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    protections: tuple[Callable[[Mapping[str, str]], Mapping[str, str]], ...] = ()

    @staticmethod
    def of(
        *rows: Mark,
        annotations: frozenset[str] = frozenset(),
        labels: frozenset[str] = frozenset(),
        protection: Callable[[Mapping[str, str]], Mapping[str, str]] = lambda _: {},
    ) -> "Marks":
        """Return the marks of one engine."""
        by_key: dict[str, tuple[Mark, ...]] = {}
        for mark in rows:
            by_key[mark.key] = (*by_key.get(mark.key, ()), mark)
        return Marks(by_key, annotations, labels, (protection,))

    def __or__(self, other: "Marks") -> "Marks":
        keys = dict.fromkeys((*self.by_key, *other.by_key))
        by_key = {key: (*self.by_key.get(key, ()), *other.by_key.get(key, ())) for key in keys}
        return Marks(
            by_key,
            self.annotations | other.annotations,
            self.labels | other.labels,
            (*self.protections, *other.protections),
        )

    def obeyed_in(self, metadata: Mapping[str, Any], ask: Ask) -> Iterator[Marked]:
        """Yield the marks in an object's metadata that have an effect.

        `ask` calls a predicate with a value, which may contain slots (`model.slots`).
        """
        for field in ("annotations", "labels"):
            pairs = metadata.get(field)
            for key, value in pairs.items() if isinstance(pairs, Mapping) else ():
                for mark in self._with_key(key):
                    is_read = mark.is_label or field == "annotations"
                    if is_read and isinstance(value, str) and ask(mark.acts, value):
                        yield Marked(field, key, mark)

    def protect(self, annotations: Mapping[str, str]) -> dict[str, str]:
        """Return an object's annotations, plus those that keep all engines from deleting it."""
        protected = dict(annotations)
        for protection in self.protections:
            protected.update(protection(annotations))
        return protected

    def _with_key(self, key: str) -> Iterator[Mark]:
        domain, slash, _ = key.partition("/")
        # A mark is for one key, or for all keys of a domain.
        for name in (key, domain + slash):
            yield from self.by_key.get(name, ())


NO_MARKS = Marks()

HOSTNAME_ANNOTATIONS = frozenset(
    {
        *(f"external-dns.alpha.kubernetes.io/{key}" for key in ("hostname", "internal-hostname")),
        "external-dns.alpha.kubernetes.io/target",
        *("dns.alpha.kubernetes.io/external", "dns.alpha.kubernetes.io/internal"),
        *("cert-manager.io/common-name", "cert-manager.io/alt-names"),
        *("konghq.com/host-aliases", "konghq.com/host-header", "konghq.com/snis"),
        "loadbalancer.openstack.org/hostname",
        "service.beta.kubernetes.io/do-loadbalancer-hostname",
    }
)
"""The annotations whose texts are hostnames, separated by commas, on objects of any kind.

Sources: the annotation references of ExternalDNS, kOps' dns-controller, cert-manager, Kong's
ingress controller, and OpenStack's and DigitalOcean's cloud controllers.
"""
