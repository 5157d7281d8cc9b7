"""Stage 10. UserInfo and API calls."""

from parts import APP, BACKEND, ID, NATIVE, Login, capture, form, jwt, refresh

API = "https://api.orders.example"


def signed_in(c, access=None, query=None, **rest):
    """A web app that has its tokens. `access` makes the access token of the login."""
    login = Login(c, **rest)
    login.query = query or {}
    login.start()
    login.sign_in()
    login.callback()
    if access:
        login.access = access(login)
    login.token()
    login.keys()
    return login


def call(login, status, *, url=API + "/orders", token=None, challenge=None, body=None, kind=None, agent=BACKEND):
    """A call of an API with the access token, or another."""
    login.c.get(url, status, agent=agent, headers=[("Authorization", "Bearer " + (token or login.access))],
                answers=[("WWW-Authenticate", challenge)] if challenge else (), kind=kind,
                body=body if body is not None else ({"orders": []} if status == 200 else {"message": "Unauthorized"}))


def access_token(login, **changed):
    return jwt({"iss": ID, "sub": "alice", "aud": API, "client_id": login.client, "iat": login.c.seconds, "exp": login.c.seconds + 600, **changed})


INVALID = 'Bearer error="invalid_token"'


@capture("resource-calls/userinfo-sub-mismatch")
def _(c):
    """UserInfo tells of bob, the ID token of alice."""
    login = signed_in(c)
    call(login, 200, url=ID + "/userinfo", body={"sub": "bob", "name": "Bob"})
    login.home()


@capture("resource-calls/userinfo-sub-mismatch.near-miss")
def _(c):
    """UserInfo answers with a signed token, which tells of the same user as the ID token."""
    login = signed_in(c)
    claims = {"iss": ID, "aud": login.client, "sub": "alice", "name": "Alice"}
    call(login, 200, url=ID + "/userinfo", body=jwt(claims), kind="application/jwt")
    login.home()


@capture("resource-calls/access-token-expired")
def _(c):
    """The access token lasts ten minutes, and is used after sixteen."""
    login = signed_in(c)
    c.wait(960)
    call(login, 401, challenge=INVALID)


@capture("resource-calls/access-token-expired.near-miss")
def _(c):
    """The access token has run out, the app refreshes it on the 401 and repeats the call with success."""
    login = signed_in(c)
    c.wait(960)
    call(login, 401, challenge=INVALID)
    refresh(login)
    call(login, 200, token=c.value("second access", 40))


@capture("resource-calls/access-token-wrong-kind")
def _(c):
    """The app sends the ID token to an API of somebody else."""
    login = signed_in(c)
    call(login, 401, token=login.id_token, challenge=INVALID)


@capture("resource-calls/access-token-wrong-kind.near-miss")
def _(c):
    """A mobile app shows its ID token to its own back end, which does not want it any more."""
    login = Login(c, client="shop-app", redirect="example.shop.app:/oauth2redirect")
    login.sign_in()
    login.token(agent=NATIVE)
    login.keys(agent=NATIVE)
    call(login, 401, url=APP + "/api/session", token=login.id_token, agent=NATIVE)


@capture("resource-calls/bearer-rejected")
def _(c):
    """An API refuses the access token; nothing in the capture says why."""
    login = signed_in(c)
    call(login, 401, challenge=INVALID)


@capture("resource-calls/bearer-rejected.near-miss")
def _(c):
    """The app gives its access token back, and the API refuses it from then on."""
    login = signed_in(c)
    call(login, 200)
    c.post(ID + "/revoke", agent=BACKEND, sent=form(token=login.access, client_id=login.client, client_secret=login.secret))
    call(login, 401, url=API + "/baskets", challenge=INVALID)


@capture("resource-calls/audience-mismatch")
def _(c):
    """The access token is for the stock API, and the orders API refuses it without a reason."""
    login = signed_in(c, lambda login: access_token(login, aud="https://api.stock.example"))
    call(login, 401, challenge="Bearer")


@capture("resource-calls/audience-mismatch.near-miss")
def _(c):
    """The audience of the access token is a mere name, and the orders API refuses it for its signature."""
    login = signed_in(c, lambda login: access_token(login, aud="account"))
    call(login, 401, challenge=INVALID + ', error_description="The signature is invalid"')


@capture("resource-calls/api-audience-not-requested")
def _(c):
    """Nobody asked for a token for the API, so it got an opaque one and cannot read it."""
    login = signed_in(c)
    call(login, 401, body={"code": "invalid_token", "message": "jwt malformed"})


@capture("resource-calls/api-audience-not-requested.near-miss")
def _(c):
    """A token for the API was asked for, and the API cannot read it all the same."""
    login = signed_in(c, query={"audience": API})
    call(login, 401, body={"code": "invalid_token", "message": "jwt malformed"})


@capture("resource-calls/access-token-issuer-mismatch")
def _(c):
    """The API knows the provider under another name than the one in the access token."""
    login = signed_in(c, access_token)
    call(login, 401, challenge=INVALID + f""", error_description="The issuer '{ID}' is invalid\"""")


@capture("resource-calls/access-token-issuer-mismatch.near-miss")
def _(c):
    """The API refuses the access token of the same issuer for its signature."""
    login = signed_in(c, access_token)
    call(login, 401, challenge=INVALID + ', error_description="The signature key was not found"')


@capture("resource-calls/insufficient-scope")
def _(c):
    """The API wants a scope that the login did not ask for."""
    login = signed_in(c)
    call(login, 403, challenge='Bearer error="insufficient_scope", scope="orders.read"', body={"message": "Forbidden"})


@capture("resource-calls/insufficient-scope.near-miss")
def _(c):
    """The API refuses the call for good: the user may not see it, whatever the token's scope."""
    login = signed_in(c)
    call(login, 403, body={"message": "Not your order"})
