"""Better than one draft: several are drawn, refined or debated, and one is chosen.

`base` holds the values that everything here shares, `drawing` asks for drafts, `rerank`,
`refine`, `debate` and `lead` are the methods, `joint` makes one choice of several proxies,
`proxies` is the table of what drafts are chosen by.
"""
