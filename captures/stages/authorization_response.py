"""Stage 6. Authorization response."""

from parts import FAILED, capture, web


@capture("authorization-response/state-mismatch")
def _(c):
    """The state comes back cut off after sixteen characters; the app refuses it."""
    login = web(c)
    login.sign_in(state=login.state[:16])
    login.callback(403, FAILED, took=40)


@capture("authorization-response/state-mismatch.near-miss")
def _(c):
    """Two tabs: the answer to the first login comes after the second began, with its own state."""
    first, second = web(c, name="first"), web(c, name="second")
    second.sign_in()
    second.callback()
    second.token()
    first.sign_in()
    first.callback()
    first.token()
