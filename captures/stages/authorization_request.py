"""Stage 4. Authorization request."""

import base64

from parts import APP, BACKEND, FAILED, ID, METADATA, NATIVE, Login, capture, form, jwt, web


def asking(c, *, client="shop-web", redirect=APP + "/callback", challenge=True, **query):
    """A login that asks in another way: a changed parameter of the request, or None to leave it out."""
    login = Login(c, client=client, redirect=redirect)
    if not challenge:
        login.challenge = None
    login.query = query
    login.start()
    return login


def page(c, login, text, status=400):
    """The provider refuses the request on a page of its own."""
    c.get(login.request, status, body=f"<!doctype html><title>Error</title><h1>We are sorry</h1><p>{text}</p>")


def sent_back(c, login, error, text=None):
    """The provider refuses the request at the redirect URI; the app shows an error."""
    fields = {"error": error, **({"error_description": text} if text else {}), "state": login.state}
    c.get(login.request, 302, location=login.redirect + "?" + form(**fields))
    c.get(login.redirect + "?" + form(**fields), 400, body=FAILED, cookies={"shop_login": login.cookie})


def goes_on(login, **token):
    """Everything after the request, in good health."""
    login.sign_in()
    login.callback()
    login.token(**{"code_verifier": login.verifier if login.challenge else None, **token})
    login.keys()
    login.home()


def native(c, redirect="example.shop.app:/oauth2redirect", challenge=True, **query):
    """A native app's login: no app page that leads to it, no secret."""
    login = Login(c, client="shop-app", redirect=redirect)
    if not challenge:
        login.challenge = None
    login.query = query
    login.sign_in()
    return login


@capture("authorization-request/authz-missing-parameter")
def _(c):
    """The request lacks `response_type`; the provider says so on a page of its own."""
    page(c, asking(c, response_type=None), "Missing parameter: response_type")


@capture("authorization-request/authz-missing-parameter.near-miss")
def _(c):
    """Nothing but client and `request_uri` is in the request, for the rest was pushed; the user's consent is refused later."""
    login = Login(c)
    uri = "urn:ietf:params:oauth:request_uri:" + c.value("pushed")
    login.query = {name: None for name in ("response_type", "redirect_uri", "scope", "state", "nonce")}
    pushed = form(response_type="code", client_id=login.client, redirect_uri=login.redirect, scope="openid profile", state=login.state,
                  nonce=login.nonce, code_challenge=login.challenge, code_challenge_method="S256", client_secret=login.secret)
    c.post(ID + "/par", 201, agent=BACKEND, sent=pushed, body={"request_uri": uri, "expires_in": 90})
    login.challenge, login.query = None, {**login.query, "request_uri": uri}
    login.start()
    sent_back(c, login, "access_denied", "The user said no")


@capture("authorization-request/redirect-uri-not-registered")
def _(c):
    """The redirect URI has a slash at its end that is not registered; the provider stops on a page of its own."""
    Login(c, "yesterday").sign_in()
    c.wait(3600)
    login = web(c, redirect=APP + "/callback/")
    c.get(login.request, 400, body="<!doctype html><title>Error</title><p>Invalid parameter: redirect_uri</p>")


@capture("authorization-request/redirect-uri-not-registered.near-miss")
def _(c):
    """The provider refuses the request at the redirect URI, and the app's own error page talks of the redirect URI."""
    login = web(c)
    c.get(login.request, 302, location=login.redirect + "?" + form(error="invalid_request", state=login.state))
    c.get(login.redirect + "?" + form(error="invalid_request", state=login.state), 400, cookies={"shop_login": login.cookie},
          body="<!doctype html><title>Shop</title><p>Invalid parameter: redirect_uri? Ask your administrator.</p>")


@capture("authorization-request/redirect-uri-has-fragment")
def _(c):
    """A single-page app asks for an answer at its hash route."""
    page(c, asking(c, redirect=APP + "/#/callback"), "The redirect URI must not have a fragment")


@capture("authorization-request/redirect-uri-has-fragment.near-miss")
def _(c):
    """The redirect URI has an escaped number sign in its query, and no fragment."""
    goes_on(asking(c, redirect=APP + "/callback?tab=%232"))


@capture("authorization-request/redirect-uri-insecure")
def _(c):
    """The app is called back over plain http."""
    goes_on(asking(c, redirect="http://old.shop.example/callback"))


@capture("authorization-request/redirect-uri-insecure.near-miss")
def _(c):
    """Plain http as well, but to a port of the machine itself."""
    login = native(c, redirect="http://127.0.0.1:53125/callback")
    login.token(agent=NATIVE)
    login.keys(agent=NATIVE)


@capture("authorization-request/redirect-uri-double-encoded")
def _(c):
    """The app encodes the redirect URI, and the library that builds the query once more."""
    page(c, asking(c, redirect_uri="https%3A%2F%2Fwww.shop.example%2Fcallback"), "Invalid parameter: redirect_uri")


@capture("authorization-request/redirect-uri-double-encoded.near-miss")
def _(c):
    """Only a value in the query of the redirect URI is encoded, as it has to be."""
    goes_on(asking(c, redirect=APP + "/callback?next=https%3A%2F%2Fwww.shop.example%2Fbasket"))


@capture("authorization-request/client-id-unknown")
def _(c):
    """The client of the staging environment asks at the production provider."""
    page(c, asking(c, client="shop-web-staging"), "Client not found.")


@capture("authorization-request/client-id-unknown.near-miss")
def _(c):
    """The provider knows the client, and does not allow it this kind of login: told at the redirect URI."""
    sent_back(c, asking(c), "unauthorized_client", "The client may not sign users in")


@capture("authorization-request/pkce-required")
def _(c):
    """No code challenge, and the provider insists on one."""
    sent_back(c, asking(c, challenge=False), "invalid_request", "PKCE is mandatory for this client")


@capture("authorization-request/pkce-required.near-miss")
def _(c):
    """No code challenge either, but it is something else that the provider refuses."""
    sent_back(c, asking(c, challenge=False), "invalid_request", "The parameter display is not supported")


@capture("authorization-request/pkce-missing-public-client")
def _(c):
    """A native app without a secret asks without a code challenge."""
    login = native(c, challenge=False)
    login.token(agent=NATIVE, code_verifier=None)
    login.keys(agent=NATIVE)


@capture("authorization-request/pkce-missing-public-client.near-miss")
def _(c):
    """No code challenge, but the app's back end has a secret."""
    goes_on(asking(c, challenge=False))


@capture("authorization-request/pkce-missing-confidential")
def _(c):
    """A client with a secret sends neither a code challenge nor a nonce."""
    login = asking(c, challenge=False, nonce=None)
    login.nonce = None
    goes_on(login)


@capture("authorization-request/pkce-missing-confidential.near-miss")
def _(c):
    """No code challenge, but a nonce."""
    goes_on(asking(c, challenge=False))


@capture("authorization-request/pkce-plain")
def _(c):
    """The challenge is the verifier itself, and says so."""
    login = Login(c)
    login.challenge, login.query = login.verifier, {"code_challenge_method": "plain"}
    login.start()
    goes_on(login)


@capture("authorization-request/pkce-plain.near-miss")
def _(c):
    """The method is not named, but the challenge is a hash of the verifier: another fault, which this provider overlooks."""
    goes_on(asking(c, code_challenge_method=None))


@capture("authorization-request/pkce-method-omitted")
def _(c):
    """The challenge is hashed, its method not named; the provider compares it with the verifier as it is."""
    login = asking(c, code_challenge_method=None)
    login.sign_in()
    login.callback(500, FAILED)
    login.token(400, {"error": "invalid_grant", "error_description": "PKCE verification failed"})


@capture("authorization-request/pkce-method-omitted.near-miss")
def _(c):
    """No method either, and none is needed: the challenge is the verifier itself."""
    login = Login(c)
    login.challenge, login.query = login.verifier, {"code_challenge_method": None}
    login.start()
    goes_on(login)


@capture("authorization-request/pkce-challenge-malformed")
def _(c):
    """The challenge has a padding character; the provider counts 44 characters and refuses."""
    login = Login(c)
    login.challenge += "="
    login.start()
    sent_back(c, login, "invalid_request", "Invalid parameter: code_challenge")


@capture("authorization-request/pkce-challenge-malformed.near-miss")
def _(c):
    """A challenge as it has to be; what the provider refuses is another parameter."""
    sent_back(c, asking(c), "invalid_request", "Invalid parameter: display")


@capture("authorization-request/pkce-method-unsupported")
def _(c):
    """The method is spelled in lower case; the provider's metadata lists S256 only."""
    login = Login(c)
    login.discover()
    login.query = {"code_challenge_method": "s256"}
    login.start()
    sent_back(c, login, "invalid_request", "Invalid parameter: code_challenge_method")


@capture("authorization-request/pkce-method-unsupported.near-miss")
def _(c):
    """The same spelling, at a provider whose metadata does not say what it offers."""
    login = Login(c)
    c.get(ID + "/.well-known/openid-configuration", agent=BACKEND,
          body={name: value for name, value in METADATA.items() if name != "code_challenge_methods_supported"})
    login.query = {"code_challenge_method": "s256"}
    login.start()
    goes_on(login)


@capture("authorization-request/csrf-protection-missing")
def _(c):
    """An OAuth login without state, challenge and nonce."""
    login = asking(c, challenge=False, state=None, nonce=None, scope="orders")
    login.answer = login.redirect + "?" + form(code=login.code)
    c.get(login.request, 302, location=login.answer, cookies={"harbour": login.session})
    login.callback()
    login.token(body={"access_token": login.access, "token_type": "Bearer", "expires_in": 600}, code_verifier=None)
    login.home()


@capture("authorization-request/csrf-protection-missing.near-miss")
def _(c):
    """No state and no nonce, but a code challenge: it does as well."""
    login = asking(c, state=None, nonce=None, scope="orders")
    login.answer = login.redirect + "?" + form(code=login.code)
    c.get(login.request, 302, location=login.answer, cookies={"harbour": login.session})
    login.callback()
    login.token(body={"access_token": login.access, "token_type": "Bearer", "expires_in": 600})
    login.home()


@capture("authorization-request/nonce-missing")
def _(c):
    """An ID token is to come with the code, and the request has no nonce."""
    sent_back(c, asking(c, response_type="code id_token", response_mode="form_post", nonce=None), "invalid_request",
              "Missing parameter: nonce")


@capture("authorization-request/nonce-missing.near-miss")
def _(c):
    """No nonce either, but the ID token comes from the token endpoint, where none is needed."""
    login = asking(c, nonce=None)
    login.id_token = None
    login.sign_in()
    login.callback()
    login.nonce = None
    login.token()
    login.keys()
    login.home()


@capture("authorization-request/scope-openid-missing")
def _(c):
    """A nonce is sent and the ID token awaited, but the scope is only `profile`; the provider signs the user in without one."""
    login = asking(c, scope="profile")
    login.sign_in()
    login.callback()
    login.token(body={"access_token": login.access, "token_type": "Bearer", "expires_in": 600, "scope": "profile",
                      "id_token": jwt(login.claims())})
    login.keys()
    login.home()


@capture("authorization-request/scope-openid-missing.near-miss")
def _(c):
    """An OAuth login for an API: no `openid`, and no sign that an ID token is wanted."""
    login = asking(c, scope="orders", nonce=None)
    login.sign_in()
    login.callback()
    login.token(body={"access_token": login.access, "token_type": "Bearer", "expires_in": 600})
    login.home()


@capture("authorization-request/scope-malformed")
def _(c):
    """The scopes are separated by a comma; the provider knows no scope of that name."""
    sent_back(c, asking(c, scope="openid,profile"), "invalid_scope", "Unknown scope openid,profile")


@capture("authorization-request/scope-malformed.near-miss")
def _(c):
    """A comma as well, but the provider takes it, and issues the ID token that was asked for."""
    goes_on(asking(c, scope="openid,profile"))


@capture("authorization-request/scope-rejected")
def _(c):
    """One of the scopes is not enabled for this client."""
    login = Login(c)
    login.discover()
    login.query = {"scope": "openid profile orders.write"}
    login.start()
    sent_back(c, login, "invalid_scope", "The client may not ask for orders.write")


@capture("authorization-request/scope-rejected.near-miss")
def _(c):
    """The provider grants less than was asked for, and does not refuse."""
    goes_on(asking(c, scope="openid profile orders.write"))


@capture("authorization-request/response-type-unsupported")
def _(c):
    """The implicit flow is not enabled for this client."""
    login = asking(c, response_type="id_token", challenge=False)
    fields = form(error="unauthorized_client", error_description="Not allowed with given response_type. Implicit flow is disabled",
                  state=login.state)
    c.get(login.request, 302, location=login.redirect + "#" + fields)
    c.get(login.redirect, 200, body="<!doctype html><title>Shop</title><script src=/callback.js></script>")


@capture("authorization-request/response-type-unsupported.near-miss")
def _(c):
    """The metadata lists the words of the response type in another order."""
    login = Login(c)
    c.get(ID + "/.well-known/openid-configuration", agent=BACKEND, body={**METADATA, "response_types_supported": ["code", "id_token code"]})
    login.query = {"response_type": "code id_token", "response_mode": "form_post"}
    login.start()
    page(c, login, "The client's display name is not set")


@capture("authorization-request/silent-login-required")
def _(c):
    """The app asks silently, there is no session, and it leaves the user standing there."""
    login = asking(c, prompt="none")
    answer = login.redirect + "?" + form(error="login_required", state=login.state)
    c.get(login.request, 302, location=answer)
    c.get(answer, 403, body=FAILED, cookies={"shop_login": login.cookie})


@capture("authorization-request/silent-login-required.near-miss")
def _(c):
    """The app asks silently first and, when the answer is no, lets the user sign in."""
    login = asking(c, prompt="none")
    answer = login.redirect + "?" + form(error="login_required", state=login.state)
    c.get(login.request, 302, location=answer)
    c.get(answer, 302, location=APP + "/login", cookies={"shop_login": login.cookie})
    goes_on(web(c, name="interactive"))


@capture("authorization-request/parameter-repeated")
def _(c):
    """The scope stands in the configured URL of the endpoint already, and the library adds its own."""
    class Doubled(Login):
        @property
        def request(self):
            return super().request.replace("?", "?scope=openid&", 1)

    login = Doubled(c)
    login.start()
    sent_back(c, login, "invalid_request", "duplicated parameter")


@capture("authorization-request/parameter-repeated.near-miss")
def _(c):
    """Two resources, each a parameter of its own, as RFC 8707 has it."""
    class Doubled(Login):
        @property
        def request(self):
            return super().request + "&" + form(resource="https://orders.harbour.example") + "&" + form(resource="https://stock.harbour.example")

    login = Doubled(c)
    login.start()
    goes_on(login)


def push(c, login, status=201, body=None, expires=90, **changed):
    """The request is pushed; what the browser carries after that is the client and a reference."""
    uri = "urn:ietf:params:oauth:request_uri:" + c.value(f"pushed {len(c.entries)}")
    fields = {"response_type": "code", "client_id": login.client, "redirect_uri": login.redirect, "scope": "openid profile",
              "state": login.state, "nonce": login.nonce, "code_challenge": login.challenge, "code_challenge_method": "S256",
              "client_secret": login.secret, **changed}
    c.post(ID + "/par", status, agent=BACKEND, sent=form(**{name: value for name, value in fields.items() if value is not None}),
           body=body or {"request_uri": uri, "expires_in": expires})
    if status == 201:
        login.challenge = None
        login.query = {name: None for name in ("response_type", "redirect_uri", "scope", "state", "nonce")} | {"request_uri": uri}


@capture("authorization-request/par-rejected")
def _(c):
    """The provider refuses the pushed request for a parameter that it does not take."""
    push(c, Login(c), 400, {"error": "invalid_request", "error_description": "The parameter display is not supported"}, display="wap")


@capture("authorization-request/par-rejected.near-miss")
def _(c):
    """The provider wants a nonce in the DPoP proof first; the app pushes again, with it."""
    login = Login(c)
    push(c, login, 400, {"error": "use_dpop_nonce"})
    push(c, login)
    login.start()
    goes_on(login, code_verifier=login.verifier)


@capture("authorization-request/par-required")
def _(c):
    """The metadata says that requests have to be pushed; this one is not."""
    login = Login(c)
    c.get(ID + "/.well-known/openid-configuration", agent=BACKEND,
          body={**METADATA, "pushed_authorization_request_endpoint": ID + "/par", "require_pushed_authorization_requests": True})
    login.start()
    page(c, login, "This way of asking is not allowed")


@capture("authorization-request/par-required.near-miss")
def _(c):
    """The metadata says the same, the request is not pushed, and the provider lets it pass."""
    login = Login(c)
    c.get(ID + "/.well-known/openid-configuration", agent=BACKEND,
          body={**METADATA, "pushed_authorization_request_endpoint": ID + "/par", "require_pushed_authorization_requests": True})
    login.start()
    goes_on(login)


@capture("authorization-request/par-request-uri-expired")
def _(c):
    """Pushed when the page was drawn, used when the user clicked, three minutes later; good for ninety seconds."""
    login = Login(c)
    push(c, login)
    c.wait(180)
    login.start()
    page(c, login, "The request is not known")


@capture("authorization-request/par-request-uri-expired.near-miss")
def _(c):
    """Used a minute after it was pushed, within its time; it is refused for something else."""
    login = Login(c)
    push(c, login)
    c.wait(60)
    login.start()
    page(c, login, "The client's display name is not set")


@capture("authorization-request/par-request-uri-reused")
def _(c):
    """The user goes back to the provider's page from the history; the pushed request behind it was used up."""
    login = Login(c)
    push(c, login)
    login.start()
    login.c.get(login.request, body="<!doctype html><title>Sign in</title><form method=post action=/sign-in></form>")
    c.wait(20)
    page(c, login, "The request was used before")


@capture("authorization-request/par-request-uri-reused.near-miss")
def _(c):
    """The sign-in page is loaded twice, and the provider does not mind."""
    login = Login(c)
    push(c, login)
    login.start()
    login.c.get(login.request, body="<!doctype html><title>Sign in</title><form method=post action=/sign-in></form>")
    c.wait(20)
    goes_on(login, code_verifier=login.verifier)


@capture("authorization-request/par-client-mismatch")
def _(c):
    """Pushed by the back end's client, sent off in the name of the web app's."""
    login = Login(c)
    push(c, login, client_id="shop-backend")
    login.start()
    page(c, login, "The request is not yours")


@capture("authorization-request/par-client-mismatch.near-miss")
def _(c):
    """The client is not repeated in the form of the push: its Basic credentials name it."""
    login = Login(c)
    push(c, login, client_id=None, client_secret=None)
    credentials = base64.b64encode(f"{login.client}:{login.secret}".encode()).decode()
    c.entries[-1]["request"]["headers"].append({"name": "Authorization", "value": "Basic " + credentials})
    login.start()
    goes_on(login, code_verifier=login.verifier)


def signed(login, **changed):
    """The request as a signed token, with which the browser is sent off."""
    claims = {"iss": login.client, "aud": ID, "exp": login.c.seconds + 300, "response_type": "code", "client_id": login.client,
              "redirect_uri": login.redirect, "scope": "openid profile", "state": login.state, "nonce": login.nonce,
              "code_challenge": login.challenge, "code_challenge_method": "S256", **changed}
    login.challenge = None
    login.query = {"redirect_uri": None, "state": None, "nonce": None, "request": jwt(claims)}
    login.start()


@capture("authorization-request/request-object-invalid")
def _(c):
    """The request object is meant for the authorization endpoint instead of the issuer."""
    login = Login(c)
    login.discover()
    signed(login, aud=ID + "/authorize")
    sent_back(c, login, "invalid_request_object")


@capture("authorization-request/request-object-invalid.near-miss")
def _(c):
    """A request object as it has to be, among several audiences the provider's."""
    login = Login(c)
    login.discover()
    signed(login, aud=["https://id.lighthouse.example", ID])
    goes_on(login, code_verifier=login.verifier)


TOOLS = "https://tools.harbour.example/mcp"


def tool(c, resource=TOOLS, status=200, of_token="same"):
    """A login that begins at a resource: refused, described, asked for. None leaves the resource out of a request."""
    c.post(TOOLS, 401, agent=NATIVE, sent='{"jsonrpc":"2.0","id":1,"method":"initialize"}', sent_kind="application/json", body={"error": "no token"},
           answers=[("WWW-Authenticate", 'Bearer resource_metadata="https://tools.harbour.example/.well-known/oauth-protected-resource/mcp"')])
    c.get("https://tools.harbour.example/.well-known/oauth-protected-resource/mcp", agent=NATIVE,
          body={"resource": TOOLS, "authorization_servers": [ID]})
    login = native(c, scope="tools", nonce=None, resource=resource)
    body = {"access_token": login.access, "token_type": "Bearer", "expires_in": 600} if status == 200 else {"error": "invalid_target"}
    login.token(status, body, agent=NATIVE, resource=resource if of_token == "same" else of_token)
    if status == 200:
        c.post(TOOLS, agent=NATIVE, sent='{"jsonrpc":"2.0","id":1,"method":"initialize"}', sent_kind="application/json",
               headers=[("Authorization", "Bearer " + login.access)], body={"jsonrpc": "2.0", "id": 1, "result": {}})


@capture("authorization-request/resource-indicator-mismatch")
def _(c):
    """The token request names the server, the login named one of its resources."""
    tool(c, status=400, of_token="https://tools.harbour.example")


@capture("authorization-request/resource-indicator-mismatch.near-miss")
def _(c):
    """The token request leaves the resource out, which it may: the login named it."""
    tool(c, of_token=None)


@capture("authorization-request/resource-indicator-missing")
def _(c):
    """The resource described itself; neither request of the login names it."""
    tool(c, resource=None)


@capture("authorization-request/resource-indicator-missing.near-miss")
def _(c):
    """The same login, with the resource in both requests."""
    tool(c)
