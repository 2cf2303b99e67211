"""The same fleet for kustomize: a base with the hub's objects, and an overlay for each spoke."""

from __future__ import annotations

from pathlib import Path

OVERLAY = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [../base]
patches:
- target: {{kind: Gateway}}
  patch: |-
    - {{op: add, path: /metadata/labels/region, value: eu}}
    - {{op: replace, path: /spec/listeners/0/hostname, value: "*.{name}.shop.example.com"}}
- target: {{kind: DNSPolicy}}
  patch: |-
    - {{op: replace, path: /spec/loadBalancing/geo, value: EU-{number}}}
    - {{op: replace, path: /spec/loadBalancing/weight, value: {number}}}
- target: {{kind: HTTPRoute}}
  patch: |-
    - {{op: replace, path: /spec/hostnames/0, value: service.{name}.shop.example.com}}
"""


def write_overlays(folder: Path, hub: Path, *, spokes: int) -> list[Path]:
    """Write the base and the overlays; return the overlays' folders."""
    base = folder / "base"
    base.mkdir(parents=True)
    names = [path.name for path in sorted(hub.iterdir()) if path.name != "class.yaml"]
    for name in names:
        (base / name).write_bytes((hub / name).read_bytes())
    (base / "kustomization.yaml").write_text(
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
        f"resources: [{', '.join(names)}]\n"
    )
    overlays = []
    for number in range(spokes):
        overlay = folder / f"spoke-{number:04}"
        overlay.mkdir()
        text = OVERLAY.format(name=overlay.name, number=number)
        (overlay / "kustomization.yaml").write_text(text)
        overlays.append(overlay)
    return overlays
