"""A project with many workspaces, the same copies as a hub, and overlays that rename them."""

from __future__ import annotations

from pathlib import Path

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: httproutes.gateway.networking.k8s.io}
spec:
  group: gateway.networking.k8s.io
  scope: Namespaced
  names: {kind: HTTPRoute, plural: httproutes}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
"""
FLEET = """\
apiVersion: spokerender.io/v1alpha1
kind: Fleet
spec:
  crds: [crds/]
  policiesToSync: [{group: gateway.networking.k8s.io, kind: HTTPRoute}]
"""
PLACEMENT = """\
apiVersion: spokerender.io/v1alpha1
kind: Placement
metadata: {name: bench}
spec:
  spokes: [{name: eu}]
  rules: [{gateways: {names: [infra/web]}, spokes: {names: [eu]}}]
"""
GATEWAY = """\
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: infra}
spec:
  gatewayClassName: istio
  listeners: [{name: http, port: 80, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}]
"""
RESOURCE = """\
apiVersion: syncagent.kcp.io/v1alpha1
kind: PublishedResource
metadata: {name: routes}
spec:
  resource: {apiGroup: gateway.networking.k8s.io, kind: HTTPRoute}
"""


PUBLISHING = """\
apiVersion: spokerender.io/v1alpha1
kind: Publishing
metadata: {name: bench}
spec:
  agents: [{name: nora}]
  workspaces:
"""


def route(workspace: int, number: int) -> str:
    """A route of some 700 bytes, like no other."""
    return f"""\
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: route-{number}
  namespace: shop
  labels:
    app: app-{number}
    team: team-{workspace}
  annotations:
    example.com/owner: team-{workspace}@example.com
    example.com/purpose: what customers see of number {number} in workspace {workspace}
spec:
  parentRefs:
  - name: web
    namespace: infra
  hostnames:
  - n{number}.w{workspace}.shop.example.com
  rules:
  - name: pages
    matches:
    - path:
        type: PathPrefix
        value: /pages/{number}
    backendRefs:
    - name: backend-{number}
      port: 8080
  - name: images
    matches:
    - path:
        type: PathPrefix
        value: /images/{number}
    backendRefs:
    - name: images-{number}
      port: 8081
"""


def write_tenants(project: Path, *, workspaces: int, objects: int) -> None:
    """A project whose workspaces have so many routes each, on one shared gateway."""
    names = [f"w{number}" for number in range(workspaces)]
    _write(project / "crds/routes.yaml", CRD)
    _write(project / "fleet.yaml", FLEET + "  publishing: publishing.yaml\n")
    _write(project / "placement.yaml", PLACEMENT)
    _write(project / "hub/gateway.yaml", GATEWAY)
    _write(project / "hub/published.yaml", RESOURCE)
    listed = "".join(f"  - {{name: {name}}}\n" for name in names)
    _write(project / "publishing.yaml", PUBLISHING + listed)
    for workspace, name in enumerate(names):
        routes = "---\n".join(route(workspace, number) for number in range(objects))
        _write(project / f"workspaces/{name}/routes.yaml", routes)


def write_copies(project: Path, tree: Path) -> None:
    """The copies of a tree as a hub's own objects, a file for each workspace."""
    _write(project / "crds/routes.yaml", CRD)
    _write(project / "fleet.yaml", FLEET)
    _write(project / "placement.yaml", PLACEMENT)
    _write(project / "hub/gateway.yaml", GATEWAY)
    for folder in sorted(path for path in (tree / "eu").iterdir() if path.name.startswith("w")):
        texts = (path.read_text().partition("\n")[2] for path in sorted(folder.iterdir()))
        _write(project / f"hub/{folder.name}.yaml", "---\n".join(texts))


def write_renaming(folder: Path, project: Path) -> list[Path]:
    """An overlay for each workspace, which moves and renames its objects."""
    overlays = []
    for source in sorted((project / "workspaces").iterdir()):
        overlay = folder / source.name
        _write(overlay / "routes.yaml", (source / "routes.yaml").read_text())
        _write(
            overlay / "kustomization.yaml",
            f"namespace: {source.name}\nnameSuffix: -{source.name}\nresources: [routes.yaml]\n",
        )
        overlays.append(overlay)
    return overlays


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
