"""Changes of a fleet that `fleets` wrote, to review: of one thing, or of every object."""

from __future__ import annotations

from pathlib import Path


def rename_gateway(project: Path) -> None:
    """Give the gateway another name, and name it so wherever it is named."""
    for path in (*(project / "hub").glob("*.yaml"), project / "placement.yaml"):
        text = path.read_text().replace("gateways/public", "gateways/edge")
        text = text.replace("name: public\n", "name: edge\n")
        dns = "kind: DNSPolicy\nmetadata:\n  name: "
        path.write_text(text.replace(f"{dns}edge", f"{dns}public"))


def raise_limit(project: Path) -> None:
    """Raise one limit of one policy."""
    _edit(project / "hub" / "team-0.yaml", "limit: 5000", "limit: 6000")


def rename_hostnames(project: Path) -> None:
    """Give every spoke another domain."""
    _edit(project / "placement.yaml", ".shop.example.com, geo", ".store.example.com, geo", count=-1)


def change_every_object(project: Path) -> None:
    """Change a field of every object of the hub that is placed."""
    for path in (project / "hub").glob("*.yaml"):
        text = path.read_text()
        for old, new in (
            ("name: public-tls", "name: public-cert"),
            ("defaultGeo: false", "defaultGeo: true"),
            ("value: /v1/items\n", "value: /v2/items\n"),
            ("realms/customers", "realms/clients"),
            ("limit: 100\n", "limit: 90\n"),
            (".internal.example.org", ".inner.example.org"),
        ):
            text = text.replace(old, new)
        path.write_text(text)


def change_in_ten_ways(project: Path) -> None:
    """Change ten things of ten kinds.

    They are a limit, a renamed route, a removed policy, a new hostname, a label of some spokes, a
    new spoke, a removed one, an override, a namespace, and a reference to a certificate.
    """
    hub, placement = project / "hub", project / "placement.yaml"
    raise_limit(project)
    _edit(hub / "team-1.yaml", "name: route-1\n", "name: first\n", count=-1)
    policies = (hub / "team-2.yaml").read_text().split("---\n")
    gone = next(number for number, text in enumerate(policies) if "kind: AuthPolicy" in text)
    (hub / "team-2.yaml").write_text("---\n".join(policies[:gone] + policies[gone + 1 :]))
    host = "- service-3.shop.example.com\n"
    _edit(hub / "team-3.yaml", host, f"{host}  - third.shop.example.com\n")
    _edit(hub / "team-4.yaml", "namespace: team-4\n", "namespace: four\n", count=-1)
    _edit(hub / "gateway.yaml", "name: public-tls", "name: public-cert")
    _edit(placement, "{region: eu, tier: staging}", "{region: af, tier: staging}", count=-1)
    first = "  - name: spoke-0001\n"
    _, _, rest = placement.read_text().partition(first)
    removed = first + rest[: rest.index("  - name:")]
    _edit(placement, removed, removed.replace("spoke-0001", "spoke-new"))
    override = (
        "  - target: {kind: RateLimitPolicy, name: limit-2}\n"
        '    spokes: {selector: {matchLabels: {region: "us"}}}\n'
        "    merge: {spec: {limits: {writes: {rates: [{limit: 5, window: 1m}]}}}}\n"
    )
    placement.write_text(placement.read_text() + override)


def _edit(path: Path, old: str, new: str, count: int = 1) -> None:
    text = path.read_text()
    if old not in text:
        message = f"{path} has no {old!r}"
        raise ValueError(message)
    path.write_text(text.replace(old, new, count))
