"""Stage 7. Token request."""
import base64
import hashlib
import urllib.parse

from parts import (
    APP, BACKEND, BROWSER, FAILED, ID, METADATA, Login, NATIVE, REFUSED, basic_token, capture, compact, form, jwt, proof, refresh, registered,
    s256, sign, web,
)


def basic(client, secret):
    return "Basic " + base64.b64encode(f"{client}:{secret}".encode()).decode()


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
    """The client's id is percent-encoded in the Basic credentials, and the same once decoded; the code is refused for its age."""
    login = web(c)
    login.sign_in()
    c.wait(700)
    login.callback(500, FAILED)
    login.token(400, REFUSED, client_id=None, client_secret=None, headers=[("Authorization", basic("shop%2Dweb", login.secret))])



# The client's credentials

INVALID_CLIENT = {"error": "invalid_client"}
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36"
CALLBACK_SCHEME = "example.shop.app:/oauth2redirect"


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


# Client assertions

JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
SIGNED = {"token_endpoint_auth_methods_supported": ["private_key_jwt"], "token_endpoint_auth_signing_alg_values_supported": ["RS256", "ES256"]}


def asserting(c, metadata=None):
    """A login up to the callback, of a client that signs assertions, at a provider that takes nothing else."""
    login = Login(c)
    login.discover(SIGNED if metadata is None else {**SIGNED, **metadata})
    login.start()
    login.sign_in()
    return login


def assertion(login, header=None, **claims):
    """The two fields of a request that carries an assertion; None leaves a claim out."""
    now = login.c.seconds
    claims = {"iss": login.client, "sub": login.client, "aud": ID, "iat": now, "exp": now + 60,
              "jti": login.c.value("assertion %d" % len(login.c.entries)), **claims}
    token = sign({"alg": "RS256", "typ": "JWT", "kid": "shop-2026", **(header or {})}, {k: v for k, v in claims.items() if v is not None})
    return {"client_secret": None, "client_assertion_type": JWT_BEARER, "client_assertion": token}


@capture("token-request/client-assertion-audience")
def _(c):
    """The assertion is addressed to the provider's staging environment."""
    login = asserting(c)
    login.callback(500, FAILED)
    login.token(401, INVALID_CLIENT, **assertion(login, aud="https://staging.id.harbour.example"))


@capture("token-request/client-assertion-audience.near-miss")
def _(c):
    """One of two audiences is the token endpoint; the provider refuses the client because it does not know its key."""
    login = asserting(c)
    login.callback(500, FAILED)
    login.token(401, INVALID_CLIENT, **assertion(login, aud=["https://api.shop.example", ID + "/token"]))


@capture("token-request/client-assertion-subject")
def _(c):
    """The assertion is issued by the name of the service instead of the client."""
    login = asserting(c)
    login.callback(500, FAILED)
    login.token(401, INVALID_CLIENT, **assertion(login, iss="shop-backend"))


@capture("token-request/client-assertion-subject.near-miss")
def _(c):
    """The assertion is made for this client by the identity service of the cloud it runs in, and the provider takes it."""
    login = asserting(c)
    login.callback()
    login.token(**assertion(login, iss="https://workloads.cloud.example"))
    login.keys()


@capture("token-request/client-assertion-time")
def _(c):
    """The assertion ran out half an hour ago by the provider's clock."""
    login = asserting(c)
    login.callback(500, FAILED)
    login.token(401, INVALID_CLIENT, **assertion(login, iat=c.seconds - 1860, exp=c.seconds - 1800))


@capture("token-request/client-assertion-time.near-miss")
def _(c):
    """The signing host's clock is forty seconds fast; the provider refuses the client for another reason."""
    login = asserting(c)
    login.callback(500, FAILED)
    login.token(401, INVALID_CLIENT, **assertion(login, iat=c.seconds + 40, nbf=c.seconds + 40, exp=c.seconds + 100))


@capture("token-request/client-assertion-reused")
def _(c):
    """The assertion of the pushed request is used once more for the token request."""
    pushed_with_assertion(c, again=True)


@capture("token-request/client-assertion-reused.near-miss")
def _(c):
    """Pushed request and token request have an assertion each; the second is refused for its key."""
    pushed_with_assertion(c, again=False)


def pushed_with_assertion(c, again):
    login = Login(c)
    uri = "urn:ietf:params:oauth:request_uri:" + c.value("request uri")
    first = assertion(login)
    c.post(ID + "/par", 201, agent=BACKEND, body={"request_uri": uri, "expires_in": 60},
           sent=login.request.partition("?")[2] + "&" + form(**{k: v for k, v in first.items() if v}))
    page = '<!doctype html><title>Sign in</title><form method="post" action="/sign-in"></form>'
    c.get(ID + "/authorize?" + form(client_id=login.client, request_uri=uri), 200, body=page, sets=["harbour=1; Path=/; Secure"])
    c.wait(8)
    login.answer = login.redirect + "?" + form(code=login.code, state=login.state)
    c.post(ID + "/sign-in", 302, sent=form(user="alice", password="not-a-password"), location=login.answer)
    login.callback(500, FAILED)
    login.token(401, INVALID_CLIENT, **(first if again else assertion(login)))


@capture("token-request/client-assertion-alg")
def _(c):
    """The assertion is signed with RS256, the provider takes PS256 and ES256."""
    login = asserting(c, {"token_endpoint_auth_signing_alg_values_supported": ["PS256", "ES256"]})
    login.callback(500, FAILED)
    login.token(401, INVALID_CLIENT, **assertion(login))


@capture("token-request/client-assertion-alg.near-miss")
def _(c):
    """RS256 is among the algorithms; the provider refuses the client because it does not know its key."""
    login = asserting(c)
    login.callback(500, FAILED)
    login.token(401, INVALID_CLIENT, **assertion(login))


# Proofs of possession


def dpop_app(c):
    """A login of the shop's app, whose tokens are bound to a key."""
    login = native(c)
    login.bound = {"access_token": login.access, "token_type": "DPoP", "expires_in": 600, "refresh_token": login.refresh_token,
                   "scope": "openid profile", "id_token": jwt(login.claims())}
    return login


def dpop_token(login, status=200, body=None, answers=(), url=ID + "/token", **claims):
    login.token(status, body or login.bound, NATIVE, headers=[proof(login.c, "POST", url, **claims)], answers=answers)


def dpop_userinfo(login, status=200, scheme="DPoP", headers=None):
    url = ID + "/userinfo"
    sent = [proof(login.c, "GET", url, token=login.access)] if headers is None else headers
    login.c.get(url, status, agent=NATIVE, headers=[("Authorization", f"{scheme} {login.access}"), *sent],
                answers=[] if status == 200 else [("WWW-Authenticate", 'DPoP error="invalid_token", algs="RS256"')],
                body={"sub": "alice", "name": "Alice"} if status == 200 else None)


ASKS = {"error": "use_dpop_nonce", "error_description": "Authorization server requires nonce in DPoP proof"}


@capture("token-request/dpop-nonce-ignored")
def _(c):
    """The token endpoint asks for a nonce; the app repeats its request without one."""
    login = dpop_app(c)
    for _ in range(2):
        dpop_token(login, 400, ASKS, answers=[("DPoP-Nonce", c.value("nonce"))])


@capture("token-request/dpop-nonce-ignored.near-miss")
def _(c):
    """The token endpoint asks for a nonce, and the app repeats its request with it."""
    login = dpop_app(c)
    dpop_token(login, 400, ASKS, answers=[("DPoP-Nonce", c.value("nonce"))])
    dpop_token(login, nonce=c.value("nonce"))
    dpop_userinfo(login)


@capture("token-request/dpop-proof-invalid")
def _(c):
    """The proof names the address behind the provider's proxy instead of the public one."""
    login = dpop_app(c)
    dpop_token(login, 400, {"error": "invalid_dpop_proof"}, url="http://id.harbour.example:8080/token")


@capture("token-request/dpop-proof-invalid.near-miss")
def _(c):
    """The proof writes the host in capitals and the default port, which is the same URL."""
    login = dpop_app(c)
    dpop_token(login, url="https://ID.harbour.example:443/token")
    dpop_userinfo(login)


@capture("token-request/dpop-key-mismatch")
def _(c):
    """The call to the API is proved with another key than the one that the token was got with."""
    login = dpop_app(c)
    dpop_token(login)
    dpop_userinfo(login, 401, headers=[proof(c, "GET", ID + "/userinfo", key="2025-11", token=login.access)])


@capture("token-request/dpop-key-mismatch.near-miss")
def _(c):
    """A back end that authenticates refreshes with a new key, which its refresh token is not bound to."""
    login = web(c)
    login.sign_in()
    login.callback()
    tokens = {"access_token": login.access, "token_type": "DPoP", "expires_in": 600, "refresh_token": login.refresh_token,
              "id_token": jwt(login.claims())}
    login.token(200, tokens, headers=[proof(c, "POST", ID + "/token")])
    login.keys()
    c.wait(590)
    c.post(ID + "/token", agent=BACKEND, headers=[proof(c, "POST", ID + "/token", key="2025-11")],
           sent=form(grant_type="refresh_token", refresh_token=login.refresh_token, client_id=login.client, client_secret=login.secret),
           body={"access_token": c.value("second access", 40), "token_type": "DPoP", "expires_in": 600})


@capture("token-request/dpop-scheme-bearer")
def _(c):
    """The token is bound to a key, and the app presents it as a bearer token."""
    login = dpop_app(c)
    dpop_token(login)
    dpop_userinfo(login, 401, scheme="Bearer", headers=[])


@capture("token-request/dpop-scheme-bearer.near-miss")
def _(c):
    """The app sends a proof, and the provider answers with a bearer token all the same."""
    login = dpop_app(c)
    login.bound["token_type"] = "Bearer"
    dpop_token(login)
    login.userinfo(agent=NATIVE)


# The request as such, and whom it is sent to

MTLS = {"token_endpoint_auth_methods_supported": ["tls_client_auth"],
        "mtls_endpoint_aliases": {"token_endpoint": "https://mtls.harbour.example/token"}}


@capture("token-request/mtls-alias-not-used")
def _(c):
    """The provider knows clients by their certificates alone, at an address of its own; the request goes to the plain one."""
    login = Login(c)
    login.discover(MTLS)
    login.start()
    login.sign_in()
    login.callback(500, FAILED)
    login.token(401, INVALID_CLIENT, client_secret=None)


@capture("token-request/mtls-alias-not-used.near-miss")
def _(c):
    """The request goes to the address for certificates, and is refused there for the certificate."""
    login = Login(c)
    login.discover(MTLS)
    login.start()
    login.sign_in()
    login.callback(500, FAILED)
    login.token(401, INVALID_CLIENT, client_secret=None)
    c.entries[-1]["request"]["url"] = "https://mtls.harbour.example/token"


def as_json(entry):
    """The form of a request as an object of JSON."""
    post = entry["request"]["postData"]
    fields = dict(item.split("=", 1) for item in post["text"].split("&"))
    post.update(mimeType="application/json", text=compact({name: urllib.parse.unquote_plus(value) for name, value in fields.items()}))
    for header in entry["request"]["headers"]:
        if header["name"] == "Content-Type":
            header["value"] = "application/json"


@capture("token-request/token-request-format")
def _(c):
    """The token request is an object of JSON."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    login.token(400, {"error": "invalid_request", "error_description": "Missing form parameter: grant_type"})
    as_json(c.entries[-1])


@capture("token-request/token-request-format.near-miss")
def _(c):
    """The token request is an object of JSON, which this provider takes."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.token()
    as_json(c.entries[-1])
    login.keys()


PAGE = [("Origin", APP), ("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Site", "cross-site")]


def spa(c):
    """A login of a page, up to the callback."""
    login = Login(c, client="shop-spa")
    c.get(APP + "/login", body="<!doctype html><title>Shop</title><script src=app.js></script>")
    login.sign_in()
    c.get(login.answer, body="<!doctype html><title>Shop</title><script src=app.js></script>")
    return login


def preflight(c, status, allowed):
    c.exchange("OPTIONS", ID + "/token", status, answers=[("Access-Control-Allow-Origin", allowed)] if allowed else [],
               headers=[("Origin", APP), ("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", "dpop")])


@capture("token-request/cors-blocked")
def _(c):
    """The page's origin is not registered: the preflight is refused, and the browser does not send the token request."""
    login = spa(c)
    preflight(c, 403, None)
    login.token(0, agent=BROWSER, client_secret=None, headers=PAGE)
    c.entries[-1]["response"]["headers"] = []
    c.entries[-1]["_error"] = "net::ERR_FAILED"


@capture("token-request/cors-blocked.near-miss")
def _(c):
    """Preflight and answer name the page's origin; the code is refused, for it lay for twenty minutes."""
    login = spa(c)
    c.wait(1200)
    preflight(c, 204, APP)
    c.entries[-1]["response"]["headers"].append({"name": "Access-Control-Allow-Headers", "value": "DPoP, Authorization"})
    login.token(400, REFUSED, agent=BROWSER, client_secret=None, headers=PAGE, answers=[("Access-Control-Allow-Origin", APP)])


@capture("token-request/client-type-mismatch")
def _(c):
    """The back end exchanges a code for a redirect URI that is registered for a single-page app."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    login.token(400, {"error": "invalid_request", "error_description": "AADSTS9002327: Tokens issued for the 'Single-Page Application' "
                      "client-type may only be redeemed via cross-origin requests."})


@capture("token-request/client-type-mismatch.near-miss")
def _(c):
    """Another refusal of the same kind, which says that a parameter is missing."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    login.token(400, {"error": "invalid_request", "error_description": "AADSTS900144: The request body must contain the following "
                      "parameter: 'scope'."})


@capture("token-request/unsupported-grant-type")
def _(c):
    """A service asks with the grant client_credentials, which this provider does not offer."""
    c.get(ID + "/.well-known/openid-configuration", agent=BACKEND, body={**METADATA, "grant_types_supported": ["authorization_code"]})
    c.post(ID + "/token", 400, agent=BACKEND, body={"error": "unsupported_grant_type"},
           sent=form(grant_type="client_credentials", client_id="shop-jobs", client_secret="not-a-secret-of-anyone", scope="stock"))


@capture("token-request/unsupported-grant-type.near-miss")
def _(c):
    """The client is not authorized either, but because of its redirect URI."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    login.token(400, {"error": "unauthorized_client", "error_description": "The redirect URI is wrong."}, redirect_uri=login.redirect + "/")


@capture("token-request/token-endpoint-error")
def _(c):
    """The provider refuses a service for its own reasons, in words of its own."""
    c.post(ID + "/token", 400, agent=BACKEND, body={"error": "tenant_suspended", "error_description": "The tenant is suspended"},
           sent=form(grant_type="client_credentials", client_id="shop-jobs", client_secret="not-a-secret-of-anyone"))


@capture("token-request/token-endpoint-error.near-miss")
def _(c):
    """A device asks until the user has confirmed: the answers before say that they are still waiting."""
    c.post(ID + "/device_authorization", agent=BACKEND, sent=form(client_id="shop-tv", scope="openid"),
           body={"device_code": c.value("device", 40), "user_code": "WDJB-MJHT", "verification_uri": ID + "/device", "expires_in": 600,
                 "interval": 5})
    poll = form(grant_type="urn:ietf:params:oauth:grant-type:device_code", device_code=c.value("device", 40), client_id="shop-tv")
    for _ in range(2):
        c.wait(6)
        c.post(ID + "/token", 400, agent=BACKEND, sent=poll, body={"error": "authorization_pending"})
    c.wait(6)
    c.post(ID + "/token", agent=BACKEND, sent=poll, body={"access_token": c.value("access", 40), "token_type": "Bearer", "expires_in": 600,
                                                         "id_token": jwt({"iss": ID, "sub": "alice", "aud": "shop-tv", "iat": c.seconds,
                                                                          "exp": c.seconds + 600})})
