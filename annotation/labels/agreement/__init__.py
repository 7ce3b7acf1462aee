"""How far people agree with each other, with checks and with models.

::

    units         an answer as small questions that can be agreed on one by one
    ratings       who said what of each unit
    coefficients  percent, kappas and alphas with intervals
    overlap       R(A|B) of highlighted excerpts
    chance        what R random highlights of the same counts and lengths would have
    drift         each person against the others and the checks, as time goes on
    report        all of it for a project, by kind and language
"""
