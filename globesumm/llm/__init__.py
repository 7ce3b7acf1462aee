"""Language models: one protocol, and everything around a call that a long run needs.

::

    from globesumm.llm.backends import open_model
    from globesumm.llm.request import Decoding, Message, Request

    with open_model("llama3:8b", "http://127.0.0.1:11434", store=Path("run/calls.sqlite")) as model:
        request = Request(
            model=model.name,
            messages=(Message("system", "..."), Message("user", "...")),
            decoding=Decoding(temperature=0.0, max_tokens=800, seed=0),
        )
        completion = model.complete(request)

`request` says what is asked and answered, `errors` what can go wrong, `backends` puts a model
together.  Nothing here knows what the messages are about.
"""
