"""Stage 13. Transport."""

from parts import ID, Login, NATIVE, capture


NO_TRUST = "Client TLS handshake failed. The client does not trust the proxy's certificate (alert unknown_ca)"


@capture("transport/tls-client-rejects-recorder")
def _(c):
    """The app breaks off at the recorder's certificate, three times; nothing of the login is seen."""
    for _ in range(3):
        c.exchange("CONNECT", ID + ":443/", 0, agent=NATIVE, error=NO_TRUST)
        c.wait(2)


@capture("transport/tls-client-rejects-recorder.near-miss")
def _(c):
    """One connection of the app is broken off, and the login then goes through in clear on others by the same app."""
    login = Login(c, client="shop-app", redirect="example.shop.app:/oauth2redirect")
    c.exchange("CONNECT", ID + ":443/", 0, agent=NATIVE, error=NO_TRUST)
    login.sign_in()
    login.token(agent=NATIVE)
    login.keys(agent=NATIVE)
    login.userinfo(agent=NATIVE)
