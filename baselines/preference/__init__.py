"""Preference tuning: a model learns from its own drafts which of them proxies rate higher.

Each round draws drafts of every training side from a model, scores them, makes pairs of them and
trains the model on the pairs by Direct Preference Optimization (perspective paper, section 4 and
appendix A).  `settings` is the file that says how, `apart` keeps train and test apart, `pairs`
makes pairs, `drafting` draws and scores, `training` trains, `sequences` measures held-out pairs,
`room` and `estimate` say beforehand what it takes, `work` is what rounds share, `rounds` carries
them out and resumes, `final` summarizes with the last model.
"""
