"""Perspectives: what each of several sides says on a topic, summarized side by side.

`values` holds topics with their sides, `layouts` reads and writes them, `grouping` makes sides of
the documents of one's own events, `samples` are those that come with the package, `tasks` makes
one writing task of each side, `running` carries methods out on them and `scoring` scores what
they wrote.
"""
