"""Fleets whose values meet the hub's texts, one another, and the traps of YAML."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from spokerender.formats import yamlio
from spokerender.rendering.values.rendered import Rendered
from tests.support.project import rendered
from tests.support.stages import placement

# Texts that meet those of the hub and one another, and that YAML would take for something else.
NAMES = ["infra", "web", "api", "eu", "us", "no", "5", "1e3", "kuadrant-infra", "certs", "default"]
DOMAINS = ["eu.example", "us.example", "shop.example", "x.shop.example", "no", "1e3"]
FREE: list[Any] = [
    "", "on", "1e3", "0x1f", "~", "null", " a ", "a: b #", "é", "two\nlines\n", "{{ x", "*", "=",
    "web", "hub", "istio", "infra", "public", "Same", "All", "a.shop.example", "*.eu.example",
    "atomic", "merge", "Terminate", "rule-1", "80", 80, "\U00100000",
    "\U0010fffe\n", "*.\U0010ffff",
    5, 0, -1, 1.5, 1e15, True, False, None, [], ["on", 5], {"a": "no"}, {}, "x" * 70,
]  # fmt: skip
KEYS = {"name": NAMES, "ns": NAMES, "more": NAMES, "domain": DOMAINS, "other": DOMAINS}
spokes = st.lists(
    st.fixed_dictionaries(
        {key: st.sampled_from(words) for key, words in KEYS.items()}
        | {"x": st.sampled_from(FREE), "z": st.sampled_from(FREE)}
    ),
    min_size=1,
    max_size=4,
)


def value(key: str) -> str:
    return "{{ spoke.values." + key + " }}"


names = st.sampled_from([value("name"), value("more"), value("ns"), "edge", "web-{{ spoke.name }}"])
namespaces = st.sampled_from([value("ns"), value("more"), "edge", "infra", "eu"])
domains = st.sampled_from(
    [f"*.{value('domain')}", f"*.{value('other')}", f"*.x.{value('domain')}", "*.eu.example"]
)
notes = st.sampled_from([value("domain"), "{{ spoke.values.x | string }}", "on", None])
listeners = st.sampled_from(
    [
        [{"name": "http", "hostname": f"*.{value('domain')}"}],
        [{"name": value("name"), "port": 8080, "protocol": "HTTP"}],
        [
            {"name": "http", "hostname": "*.us.example", "tag": value("x")},
            {"name": "n", "port": 1, "protocol": "TCP"},
        ],
    ]
)


def optional(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


mapped = st.dictionaries(st.sampled_from(["*.shop.example", "*.example"]), domains, max_size=2)
as_what = optional(
    name=names,
    namespace=namespaces,
    gatewayClassName=st.sampled_from([value("name"), "istio", "hub"]),
    naming=st.just("kuadrant-mgc"),
    hostnames=mapped,
    listeners=listeners,
    labels=st.fixed_dictionaries({"tier": st.sampled_from([value("name"), "public", "no", None])}),
    annotations=st.fixed_dictionaries({"a": notes}),
)
OPEN = {"allowedRoutes": {"namespaces": {"from": "All"}}}
existing = optional(name=names, namespace=namespaces, hostnames=mapped).flatmap(
    lambda as_: st.sampled_from(
        [
            {**as_, "listeners": [{"name": "http", **OPEN}, {"name": value("name"), **OPEN}]},
            {**as_, "listeners": [{"name": "http", "hostname": f"*.{value('domain')}"}]},
        ]
    )
)
rules = st.tuples(
    *(
        st.one_of(
            as_what.map(lambda as_: {"as": as_}),
            existing.map(lambda as_: {"mode": "existing", "as": as_}),
            st.none(),
        )
        for _ in range(2)
    )
)
written = st.sampled_from(
    [*FREE, *map(value, "xz"), value("domain"), value("name"), "a {{ spoke.values.name }}"]
)
about = st.sampled_from(
    [
        "{{ policy.name }}",
        "{{ policy['kind'] | lower }}",
        "{{ gateway.name }}",
        "{{ gateway.namespace ~ '-' ~ spoke.values.name }}",
    ]
)
free = written | about | st.lists(written, max_size=2)
places = st.sampled_from(["/metadata/labels/tier", "/metadata/labels/x", "/spec/weight", "/spec/x"])
operations = st.lists(
    st.one_of(
        st.builds(lambda path, value: {"op": "add", "path": path, "value": value}, places, free),
        st.builds(
            lambda path, value: {"op": "test", "path": path, "value": value}, places, written
        ),
        st.just({"op": "copy", "from": "/metadata/name", "path": "/spec/copied"}),
        st.just({"op": "add", "path": "/spec/{{ spoke.values.name }}", "value": value("x")}),
    ),
    min_size=1,
    max_size=3,
)
merges = st.one_of(
    st.fixed_dictionaries(
        {"spec": st.dictionaries(st.sampled_from(["weight", "geo", "x", "cel"]), free, min_size=1)}
    ),
    st.fixed_dictionaries(
        {
            "metadata": st.fixed_dictionaries(
                {
                    "labels": st.fixed_dictionaries(
                        {
                            "tier": st.sampled_from(
                                [value("name"), "public", "{{ spoke.values.x | string }}", None]
                            )
                        }
                    )
                }
            )
        }
    ),
    st.sampled_from(
        [
            {"metadata": {"name": value("name")}},
            {"metadata": {"namespace": "{{ gateway.namespace }}"}},
            {"spec": {"gatewayClassName": value("x")}},
            {"spec": {"hostnames": [f"a.{value('domain')}", value("z")]}},
            {"spec": {"listeners": [{"name": "http", "hostname": value("x")}]}},
            {"spec": {"allowedListeners": {"namespaces": {"from": value("x")}}}},
            {"spec": {"targetRef": {"name": "{{ gateway.name }}"}}},
        ]
    ),
)
KINDS = ["AuthPolicy", "DNSPolicy", "Gateway", "HTTPRoute", "SecurityPolicy", "ReferenceGrant"]
overrides = st.lists(
    st.tuples(
        st.sampled_from(KINDS),
        st.one_of(
            merges.map(lambda patch: {"merge": patch}),
            operations.map(lambda patch: {"patch": patch}),
        ),
        st.sampled_from([{"all": True}, {"names": ["s0"]}]),
    ),
    max_size=3,
)


def entries(items: list[Any]) -> str:
    return yamlio.emit(items) if items else ""


def project(
    documents: str,
    values: list[dict[str, Any]],
    placed: tuple[dict[str, Any] | None, ...],
    patches: list[tuple[str, dict[str, Any], dict[str, Any]]],
) -> Rendered:
    return rendered(
        documents,
        placement(
            entries(
                [
                    {"gateways": {"names": [name]}, "spokes": {"all": True}, **rule}
                    for name, rule in zip(("infra/web", "infra/api"), placed, strict=True)
                    if rule is not None
                ]
            ),
            spokes=entries([{"name": f"s{n}", "values": each} for n, each in enumerate(values)]),
            overrides=entries(
                [
                    {"target": {"kind": kind}, "spokes": chosen, "optional": True, **patch}
                    for kind, patch, chosen in patches
                ]
            ),
        ),
    )


def read(files: Mapping[str, bytes]) -> dict[str, Any]:
    """The one document of each file."""
    documents = {path: yamlio.read(data, path) for path, data in files.items()}
    assert all(problems == () for _, problems in documents.values())
    return {path: found[0].value for path, (found, _) in documents.items()}
