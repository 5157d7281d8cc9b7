"""Stage 9. ID token."""

from parts import ID, capture, jwt, refresh, web, with_token


@capture("id-token/id-token-nonce-mismatch")
def _(c):
    """The ID token carries another nonce than the login sent."""
    with_token(c, lambda login: jwt(login.claims(nonce=c.value("another nonce"))), status=500)


@capture("id-token/id-token-nonce-mismatch.near-miss")
def _(c):
    """The ID token of the login has its nonce; the one of the refresh later has another, which is not judged."""
    login = with_token(c, lambda login: jwt(login.claims()))
    c.wait(590)
    refresh(login, nonce=c.value("another nonce"))


@capture("id-token/id-token-audience-mismatch")
def _(c):
    """The ID token is made for the shop's mobile client, not for the web client that asked."""
    with_token(c, lambda login: jwt(login.claims(aud="shop-mobile")), status=500)


@capture("id-token/id-token-audience-mismatch.near-miss")
def _(c):
    """The ID token is made for two audiences, the client among them."""
    with_token(c, lambda login: jwt(login.claims(aud=["shop-api", "shop-web"], azp="shop-web")))


@capture("id-token/id-token-kid-unknown")
def _(c):
    """The provider signs with a new key, the app verifies with the key set it fetched before; a later key set has the key."""
    login = with_token(c, lambda login: jwt(login.claims()), status=500, before=("2025-11",), keys=None)
    c.wait(60)
    login.keys("2025-11", "2026-03")


@capture("id-token/id-token-kid-unknown.near-miss")
def _(c):
    """The provider signs with a new key; the app fetches the key set again at once, finds it and goes on."""
    with_token(c, lambda login: jwt(login.claims()), before=("2025-11",), keys=("2025-11", "2026-03")).home()


@capture("id-token/id-token-signature-invalid")
def _(c):
    """The ID token's subject was altered after signing."""

    def altered(login):
        header, _, signature = jwt(login.claims()).split(".")
        return ".".join([header, jwt(login.claims(sub="mallory")).split(".")[1], signature])

    with_token(c, altered, status=500)


@capture("id-token/id-token-signature-invalid.near-miss")
def _(c):
    """The ID token names no key; the first key of the set does not verify it, the second does."""
    with_token(c, lambda login: jwt(login.claims(), named=False))
