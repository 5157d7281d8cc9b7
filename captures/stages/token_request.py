"""Stage 7. Token request."""
import hashlib

from parts import APP, FAILED, Login, NATIVE, REFUSED, basic_token, capture, form, refresh, registered, web


@capture("token-request/redirect-uri-token-mismatch")
def _(c):
    """The token request's redirect URI has a slash at the end that the authorization request's has not."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    login.token(400, REFUSED, redirect_uri=login.redirect + "/")


@capture("token-request/redirect-uri-token-mismatch.near-miss")
def _(c):
    """The redirect URI is escaped in another way in the token request, and the same string once decoded."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.token()
    text = c.entries[-1]["request"]["postData"]["text"]
    assert "https%3A%2F%2F" in text
    c.entries[-1]["request"]["postData"]["text"] = text.replace("https%3A%2F%2F", "https:%2f%2f")
    login.keys()
    login.home()


@capture("token-request/pkce-verifier-mismatch")
def _(c):
    """The code challenge is the digest in hexadecimal instead of base64url."""
    login = Login(c)
    login.challenge = hashlib.sha256(login.verifier.encode()).hexdigest()
    login.start()
    login.sign_in()
    login.callback(500, FAILED)
    login.token(400, REFUSED)


@capture("token-request/pkce-verifier-mismatch.near-miss")
def _(c):
    """Verifier and challenge fit, the code is refused all the same: it lay for twenty minutes."""
    login = web(c)
    login.sign_in()
    c.wait(1200)
    login.callback(500, FAILED)
    login.token(400, {"error": "invalid_grant", "error_description": "The code has run out"})


@capture("token-request/pkce-verifier-missing")
def _(c):
    """The authorization request has a code challenge, the token request no verifier."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    login.token(400, REFUSED, code_verifier=None)


@capture("token-request/pkce-verifier-missing.near-miss")
def _(c):
    """The app hands the code without a verifier to its back end, whose own request to the provider has it."""
    login = Login(c, client="shop-app", redirect="example.shop.app:/oauth2redirect")
    login.sign_in()
    c.post(APP + "/api/login", agent=NATIVE, sent=form(code=login.code), body={"ok": True}, took=300)
    c.wait(-0.28)
    login.token()
    login.keys()


@capture("token-request/code-reused")
def _(c):
    """The callback is loaded a second time and the app sends the code again; one second later."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.token()
    c.wait(1)
    login.callback(500, FAILED)
    login.token(400, REFUSED)


@capture("token-request/code-reused.near-miss")
def _(c):
    """The code is sent again because the provider was overloaded the first time."""
    login = web(c)
    login.sign_in()
    login.callback(took=900)
    login.token(503, {"error": "temporarily_unavailable"})
    c.wait(0.4)
    login.token()
    login.keys()


@capture("token-request/client-secret-mismatch")
def _(c):
    """The provider issued a client secret in this capture, and the token request has another one."""
    login = registered(c, c.value("secret", 32))
    login.start()
    login.sign_in()
    login.callback(500, FAILED)
    basic_token(login, "secret-of-the-staging-environment", 401, {"error": "invalid_client"})


@capture("token-request/client-secret-mismatch.near-miss")
def _(c):
    """The secret is the issued one, but stands unencoded in the Basic credentials, where its plus sign is read as a space."""
    login = registered(c, "a+b%" + c.value("secret", 28))
    login.start()
    login.sign_in()
    login.callback(500, FAILED)
    basic_token(login, login.secret, 401, {"error": "invalid_client"})


@capture("token-request/token-invalid-client")
def _(c):
    """The provider refuses the client; nothing in the capture says why."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    basic_token(login, "not-a-secret-of-anyone", 401, {"error": "invalid_client", "error_description": "Client authentication failed"})


@capture("token-request/token-invalid-client.near-miss")
def _(c):
    """A 401 as well, but from UserInfo: it is the access token that is refused, not the client."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    login.token()
    login.userinfo(401)


@capture("token-request/token-invalid-grant")
def _(c):
    """The provider refuses the code; redirect URI, verifier, client and age are all as they should be."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    login.token(400, REFUSED)


@capture("token-request/token-invalid-grant.near-miss")
def _(c):
    """A refresh is refused, but for the scope it asks for."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.token()
    login.keys()
    c.wait(300)
    refresh(login, 400, {"error": "invalid_scope"}, scope="openid profile admin")
