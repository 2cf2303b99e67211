"""What may lie in the output folder: names, folders and documents that nobody rendered."""

from __future__ import annotations

from benchmarks.hostile.shape import Files, listed, plain_routes, project, route, shapes

_HEADER = "# Rendered by spokerender; do not edit.\n"
_KUSTOMIZATION = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n"


def many_files(n: int) -> Files:
    """Empty files of a spoke."""
    return project(**{f"clusters/one/infra/f{i}.yaml": "" for i in range(n)})


def many_ours(n: int) -> Files:
    """Files that say that they are ours."""
    return project(
        **{
            f"clusters/one/infra/f{i}.yaml": _HEADER + route(f"r{i}").removeprefix("---\n")
            for i in range(n)
        }
    )


def many_spokes(n: int) -> Files:
    """Folders of spokes that nobody has."""
    return project(**{f"clusters/s{i}/kustomization.yaml": _HEADER for i in range(n)})


def deep_folders(n: int) -> Files:
    """One file, far down."""
    return project(**{"clusters/one/" + "a/" * min(n, 900) + "f.yaml": ""}, hub="#" * n)


def one_file(n: int) -> Files:
    """One file with many documents."""
    return project(**{"clusters/one/all.yaml": _HEADER + plain_routes(n)})


def odd_documents(n: int) -> Files:
    """Documents that are no objects."""
    return project(**{"clusters/one/all.yaml": _HEADER + "--- a\n" * n})


def resources(n: int) -> Files:
    """A kustomization of files that are not there."""
    return project(
        **{
            "clusters/one/kustomization.yaml": _HEADER
            + _KUSTOMIZATION
            + listed(n, lambda i: f"- f{i}.yaml\n", "")
        }
    )


def equal_resources(n: int) -> Files:
    """A kustomization that names one file again and again."""
    return project(
        **{
            "clusters/one/f.yaml": _HEADER + route("r").removeprefix("---\n"),
            "clusters/one/kustomization.yaml": _HEADER + _KUSTOMIZATION + "- f.yaml\n" * n,
        }
    )


def kustomizations(n: int) -> Files:
    """Kustomizations that name each other."""
    return project(
        **{
            f"clusters/one/d{i}/kustomization.yaml": _HEADER
            + _KUSTOMIZATION
            + f"- ../d{i + 1}\n- ../d{i + 1}/\n"
            for i in range(n)
        }
    )


def one_object(n: int) -> Files:
    """One object in many files."""
    return project(
        **{
            f"clusters/one/infra/f{i}.yaml": _HEADER + route("r").removeprefix("---\n")
            for i in range(n)
        }
    )


def long_names(n: int) -> Files:
    """Files with names as long as a disk takes."""
    return project(**{f"clusters/one/{'a' * 200}{i}.yaml": "" for i in range(n)})


def hub_files(n: int) -> Files:
    """The hub in many files."""
    return project(**{f"hub/f{i}.yaml": "" for i in range(n)})


SHAPES = shapes(
    "tree",
    many_files,
    many_ours,
    many_spokes,
    deep_folders,
    one_file,
    odd_documents,
    resources,
    equal_resources,
    kustomizations,
    one_object,
    long_names,
    hub_files,
)
