"""What the stages of rendering hand on to each other, and to everybody who looks at a fleet.

Values and nothing else: no module here imports a stage, so that judging, explaining and
reporting know what rendering gives and not how it is made.
"""
