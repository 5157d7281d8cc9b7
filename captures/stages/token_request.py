"""Stage 7. Token request."""
import base64
import hashlib

from parts import (
    APP, BACKEND, FAILED, ID, Login, NATIVE, REFUSED, basic_token, capture, form, refresh, registered, s256, web,
)


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


# The code and its verifier


@capture("token-request/pkce-not-enforced")
def _(c):
    """The token request has a well-formed verifier that does not open the challenge, and gets tokens all the same."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.token(code_verifier=c.value("a verifier of nothing", 43))
    login.keys()
    login.home()


@capture("token-request/pkce-not-enforced.near-miss")
def _(c):
    """The challenge is the verifier itself, as the method plain wants it, and the provider takes it."""
    login = Login(c)
    login.challenge, login.query = None, {"code_challenge": login.verifier, "code_challenge_method": "plain"}
    login.start()
    login.sign_in()
    login.callback()
    login.token()
    login.keys()


@capture("token-request/pkce-verifier-malformed")
def _(c):
    """The verifier has 24 characters and a space among them; the challenge is its hash, the provider refuses the form."""
    login = Login(c)
    login.verifier = c.value("verifier", 11) + " " + c.value("rest of the verifier", 12)
    login.challenge = s256(login.verifier)
    login.start()
    login.sign_in()
    login.callback(500, FAILED)
    login.token(400, REFUSED)


@capture("token-request/pkce-verifier-malformed.near-miss")
def _(c):
    """A verifier of 128 characters with all four punctuation marks; the code is refused, for it was revoked."""
    login = Login(c)
    login.verifier = c.value("verifier", 62) + "-._~" + c.value("rest of the verifier", 62)
    login.challenge = s256(login.verifier)
    login.start()
    login.sign_in()
    login.callback(500, FAILED)
    login.token(400, REFUSED)


@capture("token-request/pkce-verifier-unexpected")
def _(c):
    """The verifier is sent, the challenge was lost on the way to the provider."""
    login = Login(c)
    login.challenge = None
    login.start()
    login.sign_in()
    login.callback(500, FAILED)
    login.token(400, REFUSED)


@capture("token-request/pkce-verifier-unexpected.near-miss")
def _(c):
    """The challenge is not in the browser's URL because it was pushed before; the code is refused for its age."""
    login = Login(c)
    uri = "urn:ietf:params:oauth:request_uri:" + c.value("request uri")
    c.post(ID + "/par", 201, agent=BACKEND, sent=login.request.partition("?")[2] + "&client_secret=" + login.secret,
           body={"request_uri": uri, "expires_in": 60})
    page = ID + "/authorize?" + form(client_id=login.client, request_uri=uri)
    c.get(page, 200, body="<!doctype html><title>Sign in</title><form method=\"post\" action=\"/sign-in\"></form>")
    c.wait(8)
    login.answer = login.redirect + "?" + form(code=login.code, state=login.state)
    c.post(ID + "/sign-in", 302, sent=form(user="alice", password="not-a-password"), location=login.answer)
    c.wait(700)
    login.callback(500, FAILED)
    login.token(400, REFUSED)


@capture("token-request/code-expired")
def _(c):
    """Between the redirect with the code and the token request lie eleven minutes."""
    login = web(c)
    login.sign_in()
    c.wait(660)
    login.callback(500, FAILED)
    login.token(400, REFUSED)


@capture("token-request/code-expired.near-miss")
def _(c):
    """The user takes eleven minutes to sign in; the code is exchanged at once, and refused for a reason of the provider's own."""
    login = web(c)
    login.sign_in(seconds=660)
    login.callback(500, FAILED)
    login.token(400, REFUSED)


@capture("token-request/code-altered")
def _(c):
    """The code has a slash, and is percent-encoded once more than it should be."""
    login = Login(c)
    login.code = "4/0A" + c.value("code", 40)
    login.start()
    login.sign_in()
    login.callback(500, FAILED)
    login.token(400, REFUSED, code=login.code.replace("/", "%2F"))


@capture("token-request/code-altered.near-miss")
def _(c):
    """The code has a slash that the token request does not escape, which a form allows; the code is refused for its age."""
    login = Login(c)
    login.code = "4/0A" + c.value("code", 40)
    login.start()
    login.sign_in()
    c.wait(700)
    login.callback(500, FAILED)
    login.token(400, REFUSED)
    post = c.entries[-1]["request"]["postData"]
    post["text"] = post["text"].replace("4%2F0A", "4/0A")


@capture("token-request/code-wrong-client")
def _(c):
    """The login is made for the shop's web client, the back end exchanges the code with the id of its staging client."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    login.token(400, REFUSED, client_id="shop-web-staging")


@capture("token-request/code-wrong-client.near-miss")
def _(c):
    """The app's login is exchanged by the back end's client, which this provider allows for clients of one owner."""
    login = Login(c, client="shop-app")
    login.start()
    login.sign_in()
    login.callback()
    login.token(client_id="shop-web")
    login.keys()


# The client's credentials

INVALID_CLIENT = {"error": "invalid_client"}
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36"
CALLBACK_SCHEME = "example.shop.app:/oauth2redirect"


def basic(client, secret):
    return "Basic " + base64.b64encode(f"{client}:{secret}".encode()).decode()


def native(c):
    """A login of the shop's app, which comes back by its own scheme."""
    login = Login(c, client="shop-app", redirect=CALLBACK_SCHEME)
    login.sign_in()
    return login


@capture("token-request/client-auth-missing")
def _(c):
    """A confidential client sends neither header nor secret nor assertion, and the provider does not know who it is."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    login.token(401, INVALID_CLIENT, client_secret=None)


@capture("token-request/client-auth-missing.near-miss")
def _(c):
    """No credentials either, but the answer names another reason: there is no such client."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    login.token(401, {"error": "invalid_client", "error_description": "The OAuth client was not found."}, client_secret=None)


@capture("token-request/client-auth-duplicate")
def _(c):
    """The library sends Basic credentials, the app's own parameters have the secret once more."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    login.token(400, {"error": "invalid_request", "error_description": "Multiple client credentials"},
                headers=[("Authorization", basic(login.client, login.secret))])


@capture("token-request/client-auth-duplicate.near-miss")
def _(c):
    """Beside the Basic credentials the body names the client, and has an empty secret: that is one method."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.token(client_secret="", headers=[("Authorization", basic(login.client, login.secret))])
    login.keys()


@capture("token-request/basic-credentials-encoding")
def _(c):
    """The registered secret has a plus and a percent sign and stands in the header as it is; the provider decodes it."""
    login = registered(c, "a+b%2Bc" + c.value("secret", 24))
    login.start()
    login.sign_in()
    login.callback(500, FAILED)
    basic_token(login, login.secret, 401, INVALID_CLIENT)


@capture("token-request/basic-credentials-encoding.near-miss")
def _(c):
    """A secret with a tilde, a slash and an equals sign, which decoding leaves as they are; the provider refuses the client."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    basic_token(login, "a~b/c=" + c.value("secret", 24), 401, INVALID_CLIENT)


@capture("token-request/public-client-sends-secret")
def _(c):
    """The app on the phone exchanges the code with a client secret."""
    login = native(c)
    login.token(agent=NATIVE, client_secret=login.secret)
    login.keys(agent=NATIVE)


@capture("token-request/public-client-sends-secret.near-miss")
def _(c):
    """The app has a secret of its own: the provider registered this installation a minute ago."""
    login = Login(c, client="shop-" + c.value("client", 8), redirect=CALLBACK_SCHEME)
    c.post(ID + "/register", 201, agent=NATIVE, sent='{"redirect_uris":["%s"]}' % login.redirect, sent_kind="application/json",
           body={"client_id": login.client, "client_secret": login.secret, "redirect_uris": [login.redirect],
                 "grant_types": ["authorization_code"], "token_endpoint_auth_method": "client_secret_post"})
    c.wait(60)
    login.sign_in()
    login.token(agent=NATIVE, client_secret=login.secret)
    login.keys(agent=NATIVE)


@capture("token-request/client-auth-method-unsupported")
def _(c):
    """The metadata lists client_secret_post alone, the client sends Basic credentials and is refused."""
    login = Login(c)
    login.discover({"token_endpoint_auth_methods_supported": ["client_secret_post"]})
    login.start()
    login.sign_in()
    login.callback(500, FAILED)
    basic_token(login, login.secret, 401, INVALID_CLIENT)


@capture("token-request/client-auth-method-unsupported.near-miss")
def _(c):
    """The metadata does not list the method none; the app is a public client, and the provider takes it."""
    login = Login(c, client="shop-app", redirect=CALLBACK_SCHEME)
    login.discover({"token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"]})
    login.sign_in()
    login.token(agent=NATIVE)
    login.keys(agent=NATIVE)


@capture("token-request/client-assertion-missing")
def _(c):
    """The provider takes signed assertions only, and the token request has none."""
    login = Login(c)
    login.discover({"token_endpoint_auth_methods_supported": ["private_key_jwt"]})
    login.start()
    login.sign_in()
    login.callback(500, FAILED)
    login.token(401, INVALID_CLIENT, client_secret=None)


@capture("token-request/client-assertion-missing.near-miss")
def _(c):
    """The provider takes assertions and secrets; the client forgot its secret, which is another fault."""
    login = Login(c)
    login.discover({"token_endpoint_auth_methods_supported": ["private_key_jwt", "client_secret_post"]})
    login.start()
    login.sign_in()
    login.callback(500, FAILED)
    login.token(401, INVALID_CLIENT, client_secret=None)
