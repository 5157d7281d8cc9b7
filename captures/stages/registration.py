"""Stage 3. Registration."""

from parts import FAILED, ID, METADATA, NATIVE, Login, basic_token, capture, compact, refresh, registered

APP_SCHEME = "example.shop.app:/oauth2redirect"


def register(c, status, asked, body, token=None):
    c.post(ID + "/register", status, agent=NATIVE, sent=compact(asked), sent_kind="application/json", body=body,
           headers=[("Authorization", "Bearer " + token)] if token else ())


def native(c, redirect=APP_SCHEME, uris=(APP_SCHEME,), token=None):
    """An app that reads the metadata and registers itself."""
    login = Login(c, client="app-" + c.value("client", 8), redirect=redirect)
    c.get(ID + "/.well-known/openid-configuration", body=METADATA, agent=NATIVE)
    asked = {"client_name": "Shop", "application_type": "native", "redirect_uris": list(uris), "token_endpoint_auth_method": "none",
             "grant_types": ["authorization_code", "refresh_token"]}
    register(c, 201, asked, {"client_id": login.client, "client_id_issued_at": c.seconds, **asked}, token)
    return login


@capture("registration/registration-rejected")
def _(c):
    """The app asks for a redirect URI of http on a public host, which the provider does not register."""
    c.get(ID + "/.well-known/openid-configuration", body=METADATA, agent=NATIVE)
    register(c, 400, {"redirect_uris": ["http://www.shop.example/callback"], "token_endpoint_auth_method": "none"},
             {"error": "invalid_redirect_uri", "error_description": "http is for loopback addresses only"})


@capture("registration/registration-rejected.near-miss")
def _(c):
    """The first try is refused for its redirect URI, the second has another one and is accepted; the login goes through."""
    register(c, 400, {"redirect_uris": ["http://www.shop.example/callback"], "token_endpoint_auth_method": "none"},
             {"error": "invalid_redirect_uri", "error_description": "http is for loopback addresses only"})
    login = native(c)
    login.sign_in()
    login.token(agent=NATIVE)
    login.keys(agent=NATIVE)


@capture("registration/registration-redirect-differs")
def _(c):
    """The app registers its redirect URI with one slash and sends it with two; the provider stops on a page of its own."""
    login = native(c, redirect="example.shop.app://oauth2redirect")
    c.get(login.request, 400, body="<!doctype html><title>Harbour</title><p>This request cannot be processed.")


@capture("registration/registration-redirect-differs.near-miss")
def _(c):
    """The app registers a loopback address and listens at another port when the user signs in."""
    login = native(c, redirect="http://127.0.0.1:52814/callback", uris=["http://127.0.0.1/callback"])
    login.sign_in()
    login.token(agent=NATIVE)
    login.keys(agent=NATIVE)


@capture("registration/registration-auth-method-mismatch")
def _(c):
    """The client is registered for Basic credentials and sends its secret in the body."""
    login = registered(c, c.value("secret", 32))
    login.start()
    login.sign_in()
    login.callback(500, FAILED)
    login.token(401, {"error": "invalid_client"})


@capture("registration/registration-auth-method-mismatch.near-miss")
def _(c):
    """The client is registered for Basic credentials, and the provider says that it takes the secret in the body, too."""
    login = registered(c, c.value("secret", 32))
    c.entries[-1]["response"]["content"]["text"] = c.entries[-1]["response"]["content"]["text"].replace(
        '"token_endpoint_auth_method":"client_secret_basic"',
        '"token_endpoint_auth_method":"client_secret_basic","token_endpoint_auth_methods":["client_secret_basic","client_secret_post"]')
    login.start()
    login.sign_in()
    login.callback(500, FAILED)
    login.token(401, {"error": "invalid_client"})


@capture("registration/registration-grant-missing")
def _(c):
    """The client is registered for the code alone and wants to refresh its tokens."""
    login = registered(c, c.value("secret", 32))
    login.start()
    login.sign_in()
    login.callback()
    basic_token(login, login.secret, 200)
    login.keys()
    c.wait(590)
    refresh(login, 400, {"error": "unauthorized_client", "error_description": "The client may not use this grant"})


@capture("registration/registration-grant-missing.near-miss")
def _(c):
    """The client is registered for both grants; the refresh is refused because the refresh token is not known any more."""
    login = native(c)
    login.sign_in()
    login.token(agent=NATIVE)
    login.keys(agent=NATIVE)
    c.wait(590)
    refresh(login, 400, {"error": "invalid_grant", "error_description": "Token is not active"})


def expiring(c, after):
    """A login with a secret that runs out some seconds after now."""
    login = registered(c, c.value("secret", 32))
    content = c.entries[-1]["response"]["content"]
    content["text"] = content["text"].replace('"client_secret_expires_at":0', f'"client_secret_expires_at":{c.seconds + after}')
    login.start()
    login.sign_in()
    login.callback(500, FAILED)
    basic_token(login, login.secret, 401, {"error": "invalid_client"})


@capture("registration/registration-secret-expired")
def _(c):
    """The client's secret ran out half a minute before the token request, which is refused."""
    expiring(c, -30)


@capture("registration/registration-secret-expired.near-miss")
def _(c):
    """The client's secret is good for another half hour when the token request is refused."""
    expiring(c, 1800)


@capture("registration/registration-open")
def _(c):
    """The app is registered without a token or a software statement."""
    login = native(c)
    login.sign_in()
    login.token(agent=NATIVE)
    login.keys(agent=NATIVE)


@capture("registration/registration-open.near-miss")
def _(c):
    """The app brings an initial access token when it registers."""
    login = native(c, token=c.value("initial access token", 32))
    login.sign_in()
    login.token(agent=NATIVE)
    login.keys(agent=NATIVE)
