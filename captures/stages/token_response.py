"""Stage 8. Token response."""

import json

from parts import BACKEND, FAILED, ID, Login, capture, form, jwt, refresh, web


def answered(c, body, *, status=302, query=None):
    """A login whose token response is made by a function of the login."""
    login = Login(c)
    login.query = query or {}
    login.start()
    login.sign_in()
    login.callback(status, None if status == 302 else FAILED)
    login.id_token = jwt(login.claims())
    login.token(200, body(login))
    return login


def tokens(login, **changed):
    body = {"access_token": login.access, "token_type": "Bearer", "expires_in": 600, "refresh_token": login.refresh_token,
            "scope": "openid profile", "id_token": login.id_token, **changed}
    return {name: value for name, value in body.items() if value is not None}


@capture("token-response/id-token-missing")
def _(c):
    """The login sends a nonce, but does not ask for the scope openid; no ID token comes, and the app fails."""
    answered(c, lambda login: tokens(login, id_token=None, scope="profile"), status=500, query={"scope": "profile"})


@capture("token-response/id-token-missing.near-miss")
def _(c):
    """The answer to the code has an ID token, the answer to the refresh has none, as it may."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.token()
    login.keys()
    c.wait(590)
    refresh(login)
    entry = c.entries[-1]["response"]["content"]
    body = json.loads(entry["text"])
    del body["id_token"]
    entry["text"] = json.dumps(body, separators=(",", ":"))
    entry["size"] = len(entry["text"])


@capture("token-response/token-response-not-json")
def _(c):
    """A proxy answers the token request with its own page, and with 200."""
    answered(c, lambda login: "<!doctype html><title>Sign in to the network</title>Please sign in", status=500)


@capture("token-response/token-response-not-json.near-miss")
def _(c):
    """The token response is JSON, but says that it is plain text."""
    login = answered(c, tokens)
    for header in c.entries[-1]["response"]["headers"]:
        if header["name"] == "Content-Type":
            header["value"] = "text/plain; charset=utf-8"
    login.keys()


@capture("token-response/token-error-with-200")
def _(c):
    """The provider refuses the code, and says so with status 200."""
    answered(c, lambda login: {"error": "bad_verification_code", "error_description": "The code is incorrect or has run out"}, status=500)


@capture("token-response/token-error-with-200.near-miss")
def _(c):
    """A device asks for its tokens; that its user has not answered yet comes with status 200, and the tokens do in the end."""
    device, client = c.value("device code", 32), "shop-tv"
    c.post(ID + "/device_authorization", agent=BACKEND, sent=form(client_id=client, scope="openid"),
           body={"device_code": device, "user_code": "WDJB-MJHT", "verification_uri": ID + "/device", "expires_in": 600, "interval": 5})
    sent = form(grant_type="urn:ietf:params:oauth:grant-type:device_code", device_code=device, client_id=client)
    for _ in range(2):
        c.wait(5)
        c.post(ID + "/token", agent=BACKEND, sent=sent, body={"error": "authorization_pending"})
    c.wait(5)
    now = c.seconds
    claims = {"iss": ID, "sub": "alice", "aud": client, "iat": now, "exp": now + 600}
    c.post(ID + "/token", agent=BACKEND, sent=sent, answers=[("Cache-Control", "no-store")],
           body={"access_token": c.value("access", 40), "token_type": "Bearer", "expires_in": 600, "id_token": jwt(claims)})


@capture("token-response/token-type-invalid")
def _(c):
    """The token response has no token_type, and the app fails to read it."""
    answered(c, lambda login: tokens(login, token_type=None), status=500)


@capture("token-response/token-type-invalid.near-miss")
def _(c):
    """The token type is written in lower case, as it may be."""
    answered(c, lambda login: tokens(login, token_type="bearer")).keys()


@capture("token-response/expires-in-not-number")
def _(c):
    """The lifetime of the access token is a string."""
    answered(c, lambda login: tokens(login, expires_in="600")).keys()


@capture("token-response/expires-in-not-number.near-miss")
def _(c):
    """The token response does not say how long the access token lasts."""
    answered(c, lambda login: tokens(login, expires_in=None)).keys()


def cached(c, control):
    login = answered(c, tokens)
    headers = c.entries[-1]["response"]["headers"]
    headers[:] = [header for header in headers if header["name"] != "Cache-Control"] + [{"name": "Cache-Control", "value": control}]
    login.keys()


@capture("token-response/token-response-cacheable")
def _(c):
    """The token response may be kept by the browser's cache."""
    cached(c, "private, max-age=60")


@capture("token-response/token-response-cacheable.near-miss")
def _(c):
    """The token response may not be kept; the header says more besides."""
    cached(c, "no-cache, No-Store, max-age=0")


@capture("token-response/scope-reduced")
def _(c):
    """The user unticked the second scope."""
    answered(c, lambda login: tokens(login, scope="openid profile"), query={"scope": "openid profile orders.write"}).keys()


@capture("token-response/scope-reduced.near-miss")
def _(c):
    """The answer names the scopes without openid and offline_access, and holds both tokens."""
    answered(c, lambda login: tokens(login, scope="profile"), query={"scope": "openid profile offline_access", "prompt": "consent"}).keys()


@capture("token-response/refresh-token-missing")
def _(c):
    """The login asks for offline_access, and no refresh token comes."""
    answered(c, lambda login: tokens(login, refresh_token=None), query={"scope": "openid profile offline_access"}).keys()


@capture("token-response/refresh-token-missing.near-miss")
def _(c):
    """No refresh token comes, and none was asked for."""
    answered(c, lambda login: tokens(login, refresh_token=None)).keys()
