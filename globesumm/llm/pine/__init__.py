"""PINE: decoder models that answer alike in whatever order the documents of a prompt stand.

After Wang et al., "Eliminating Position Bias of Language Models: A Mechanistic Approach" (ICLR
2025, section 3.3).  In every layer and head, the documents of a prompt attend to one another
without order; each text that asks sees them sorted by how important they are to it, and only
then are positions dealt out.  Importance is attention computed without positions, summed over
a document and divided by its length.

`layout` says which tokens are documents, `prompt` finds them in a request by the fences that
`globesumm.prompts` writes, `ordering` sorts and deals out positions, `first_pass` and `reach`
compute attention over a prompt and for what follows it, `attention` hooks all of this into a
model of `transformers`, and `backend` is the model of ``pine:NAME``.
"""
