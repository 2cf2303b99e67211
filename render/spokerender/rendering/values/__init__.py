"""Values that the stages of rendering pass to one another and to their callers.

No module here imports a stage: judging, explaining and reporting depend on the results of
rendering, not on how it works.
"""
