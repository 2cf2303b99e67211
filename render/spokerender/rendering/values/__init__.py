"""Values that the stages of rendering pass on to each other and to their callers.

No module here imports a stage: judging, explaining and reporting depend on the results of
rendering, not on the way it works.
"""
