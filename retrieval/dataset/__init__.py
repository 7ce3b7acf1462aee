"""A data set from events: checked, split, counted, described, and kept honest on every rebuild.

See docs/dataset.md for the files; `retrieval.dataset.build` puts the parts together.
"""
