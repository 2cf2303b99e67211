"""The entries of `crds` in a fleet file that name a carried release."""

from spokerender.config.base import refuse
from spokerender.findings.phrasing import did_you_mean, joined
from spokerender.model.releases import find_releases, list_releases, read_products

_LIST = "`spokerender crds list` prints them all; write ./ before a path"


def check_release(entry: str) -> None:
    """Refuse a name of a release that is not carried, or that leaves its channel open."""
    product, _, rest = entry.partition("@")
    version, _, channel = rest.partition("/")
    products = read_products()
    if product not in products:
        hint = did_you_mean(product, products, "there are")
        refuse(f'spokerender carries no CRDs of "{product}"', f"{hint}\n{_LIST}".strip())
    title, carried = products[product].title, list_releases(product)
    same_version = find_releases(f"{product}@{version}")
    if not version or not same_version:
        versions = tuple(dict.fromkeys(release.version for release in carried))
        hint = did_you_mean(f"v{version.removeprefix('v')}", versions)
        hint = hint or f"the newest is {versions[-1]}"
        refuse(f'spokerender carries no release "{version}" of {title}', f"{hint}\n{_LIST}".strip())
    if len(find_releases(entry)) == 1:
        return
    choice = f"write {joined(same_version).replace(' and ', ' or ')}"
    if channel:
        refuse(f'{title} {same_version[0].version} has no channel "{channel}"', choice)
    refuse(f"{title} {same_version[0].version} has several channels", choice)
