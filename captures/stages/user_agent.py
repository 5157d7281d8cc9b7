"""Stage 5. User agent."""

from parts import FAILED, Login, capture


@capture("user-agent/state-cookie-lost")
def _(c):
    """The app's login cookie lives for a minute, the user takes three: the callback comes without it and is refused."""
    login = Login(c)
    login.start("Path=/; Max-Age=60; Secure; HttpOnly; SameSite=Lax")
    login.sign_in(seconds=180)
    login.callback(400, FAILED, cookies=False, took=40)


@capture("user-agent/state-cookie-lost.near-miss")
def _(c):
    """The login cookie does not come back either, but the app knows the login by its state and accepts the answer."""
    login = Login(c)
    login.start("Path=/; Max-Age=60; Secure; HttpOnly; SameSite=Lax")
    login.sign_in(seconds=180)
    login.callback(cookies=False)
    login.token()
    login.keys()
    login.home()
