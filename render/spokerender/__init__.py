"""spokerender: render a hub's Gateway API policies into one manifest tree per spoke cluster."""

try:
    from spokerender._version import __version__ as __version__
except ImportError:  # the sources themselves, which nothing has installed
    __version__ = "0.1.dev0"
