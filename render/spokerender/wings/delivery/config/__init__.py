"""The settings of each engine, one module each."""

PATH = "The output folder's path in the repository that holds the trees; default: spec.output."
"""The description of `path`, for several engines."""
