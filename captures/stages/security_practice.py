"""Stage 14. Security practice and native apps."""

import hashlib

from parts import APP, BACKEND, BROWSER, ID, Login, METADATA, NATIVE, b64, capture, form, jwt, logout, s256, web

NATIVE_REDIRECT = "example.shop.app:/oauth2redirect"
API = "https://api.shop.example"
METRICS = "https://metrics.lantern.example"


def half(text):
    """`at_hash` and `c_hash`."""
    return b64(hashlib.sha256(text.encode()).digest()[:16])


def finish(login):
    login.sign_in()
    login.callback()
    login.token()


def again(login, **shared):
    """A second login in the same browser, without the sign-in page; `shared` are values of the first one."""
    login.c.wait(300)
    second = Login(login.c, "second")
    for name, value in shared.items():
        setattr(second, name, value)
    second.challenge = s256(second.verifier)
    second.start()
    second.answer = second.redirect + "?" + form(code=second.code, state=second.state)
    login.c.get(second.request, 302, location=second.answer, cookies={"harbour": login.session})
    second.callback()
    second.token()


def front(c, kind):
    """A login that is answered in the fragment; the page at the callback reads it."""
    login = Login(c, client="shop-page", redirect=APP + "/landing")
    login.challenge = None
    login.query = {"response_type": kind}
    login.sign_in()
    kinds = kind.split()
    answer = {"access_token": login.access, "token_type": "Bearer", "expires_in": 600} if "token" in kinds else {}
    token = jwt(login.claims(**({"at_hash": half(login.access)} if "token" in kinds else {})))
    answer = login.redirect + "#" + form(**answer, id_token=token, state=login.state)
    entry = c.entries[-1]["response"]
    entry["redirectURL"] = answer
    for field in entry["headers"]:
        if field["name"] == "Location":
            field["value"] = answer
    c.get(login.redirect, body="<!doctype html><title>Shop</title><script src=/app.js></script>")
    login.keys(agent=BROWSER)


@capture("security-practice/implicit-flow")
def _(c):
    """A page asks for access token and ID token in the redirect."""
    front(c, "id_token token")


@capture("security-practice/implicit-flow.near-miss")
def _(c):
    """A page asks for an ID token alone in the redirect: it signs in, and opens nothing."""
    front(c, "id_token")


@capture("security-practice/password-grant")
def _(c):
    """The back end of the shop has a form for the password, and sends it on."""
    c.post(ID + "/token", agent=BACKEND, sent=form(grant_type="password", username="alice", password="not-a-password", client_id="shop-web",
           client_secret="not-a-secret-of-anyone"), body={"access_token": c.value("access", 40), "token_type": "Bearer", "expires_in": 600})


@capture("security-practice/password-grant.near-miss")
def _(c):
    """The back end of the shop fetches a token for itself, with its own secret."""
    c.post(ID + "/token", agent=BACKEND, sent=form(grant_type="client_credentials", client_id="shop-web", client_secret="not-a-secret-of-anyone"),
           body={"access_token": c.value("access", 40), "token_type": "Bearer", "expires_in": 600})


@capture("security-practice/token-in-query")
def _(c):
    """UserInfo is called with the access token in the URL."""
    login = web(c)
    finish(login)
    login.keys()
    c.get(ID + "/userinfo?" + form(access_token=login.access), agent=BACKEND, body={"sub": "alice", "name": "Alice"})


@capture("security-practice/token-in-query.near-miss")
def _(c):
    """UserInfo is called with the token in the header; only the logout has an ID token in its URL, as a hint."""
    login = web(c)
    finish(login)
    login.userinfo()
    c.wait(60)
    c.get(APP + "/logout", 302, cookies={"shop_session": login.session}, location=logout(login))
    c.get(logout(login), 302, location=APP + "/goodbye?state=" + c.value("logout state"), cookies={"harbour": login.session})


@capture("security-practice/credentials-in-url")
def _(c):
    """The token request is a form, but its client secret stands in the URL."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.token(client_secret=None)
    c.entries[-1]["request"]["url"] += "?" + form(client_secret=login.secret)
    login.keys()


@capture("security-practice/credentials-in-url.near-miss")
def _(c):
    """The client secret stands in the form; the token endpoint's URL has a query of its own."""
    login = web(c)
    finish(login)
    c.entries[-1]["request"]["url"] += "?tenant=shop"
    login.keys()


@capture("security-practice/state-reused")
def _(c):
    """The app has one state for every login."""
    login = web(c)
    finish(login)
    again(login, state=login.state)


@capture("security-practice/state-reused.near-miss")
def _(c):
    """The sign-in page is reloaded: the same request, and the same login."""
    login = web(c)
    c.get(login.request, 200, body="<!doctype html><title>Sign in</title>", sets=[f"harbour={login.session}; Path=/; Secure"])
    c.wait(5)
    finish(login)


@capture("security-practice/nonce-reused")
def _(c):
    """The app has one nonce for every login, and both ID tokens carry it."""
    login = web(c)
    finish(login)
    again(login, nonce=login.nonce)


@capture("security-practice/nonce-reused.near-miss")
def _(c):
    """Two logins, each with a nonce of its own."""
    login = web(c)
    finish(login)
    again(login)


@capture("security-practice/pkce-challenge-reused")
def _(c):
    """The app has one code verifier for every login."""
    login = web(c)
    finish(login)
    again(login, verifier=login.verifier)


@capture("security-practice/pkce-challenge-reused.near-miss")
def _(c):
    """The challenge stands in the pushed request and, once more, in the authorization request that refers to it."""
    login = Login(c)
    uri = "urn:ietf:params:oauth:request_uri:" + c.value("request uri")
    fields = {"response_type": "code", "client_id": login.client, "redirect_uri": login.redirect, "scope": "openid profile", "state": login.state,
              "nonce": login.nonce, "code_challenge": login.challenge, "code_challenge_method": "S256"}
    c.post(ID + "/par", 201, agent=BACKEND, sent=form(**fields, client_secret=login.secret), body={"request_uri": uri, "expires_in": 60})
    login.query = {"request_uri": uri}
    login.start()
    finish(login)
    login.keys()


def page(c, referer):
    login = web(c)
    login.sign_in()
    login.callback(200, "<!doctype html><title>Shop</title><img src=" + METRICS + "/pixel.gif>")
    login.token()
    login.keys()
    c.wait(0.4)
    c.get(METRICS + "/pixel.gif", kind="image/gif", headers=[("Referer", referer or login.answer)])


@capture("security-practice/code-in-referer")
def _(c):
    """The callback answers with a page that loads a picture from a counter, which learns the code."""
    page(c, None)


@capture("security-practice/code-in-referer.near-miss")
def _(c):
    """The callback answers with a page that loads a picture from a counter, which learns where the page comes from and no more."""
    page(c, APP + "/")


def relayed(c, body):
    login = Login(c, client="shop-app", redirect=NATIVE_REDIRECT)
    login.sign_in()
    at = len(c.entries)
    login.c.wait(0.1)
    login.token()
    login.keys()
    answer = body(login)
    c.wait(-0.21)
    c.post(API + "/login/finish", agent=NATIVE, sent='{"code":"%s","state":"%s"}' % (login.code, login.state), sent_kind="application/json",
           body=answer, took=500)
    c.entries.insert(at, c.entries.pop())


@capture("security-practice/tokens-relayed-to-app")
def _(c):
    """The app hands the code to its back end, and gets the provider's tokens."""
    relayed(c, lambda login: {"access_token": login.access, "id_token": login.id_token, "user": "Alice"})


@capture("security-practice/tokens-relayed-to-app.near-miss")
def _(c):
    """The app hands the code to its back end, and gets a session of the shop's own."""
    relayed(c, lambda login: {"session": login.session, "user": "Alice"})


@capture("security-practice/claimed-https-opened-in-browser")
def _(c):
    """An app claims an https address, which the browser loads instead; the web server has no such page."""
    login = Login(c, client="shop-app", redirect=APP + "/app/signed-in")
    c.get(ID + "/.well-known/openid-configuration", body=METADATA, agent=NATIVE)
    login.sign_in()
    login.callback(404, "<!doctype html><title>Not found</title>", cookies=False, took=40)


@capture("security-practice/claimed-https-opened-in-browser.near-miss")
def _(c):
    """An app claims an https address and gets the code: its back end tells it nothing, it exchanges the code itself."""
    login = Login(c, client="shop-app", redirect=APP + "/app/signed-in")
    c.get(ID + "/.well-known/openid-configuration", body=METADATA, agent=NATIVE)
    login.sign_in()
    login.token(agent=NATIVE)
    login.keys(agent=NATIVE)


def loopback(c):
    """A tool on this machine, registered with a port."""
    login = Login(c, client="shop-tool", redirect="http://127.0.0.1:51004/callback")
    c.post(ID + "/register", 201, agent="shop-tool/3", sent='{"redirect_uris":["http://127.0.0.1:8400/callback"],"application_type":"native"}',
           sent_kind="application/json", body={"client_id": login.client, "redirect_uris": ["http://127.0.0.1:8400/callback"],
           "application_type": "native", "grant_types": ["authorization_code"], "token_endpoint_auth_method": "none"})
    c.wait(2)
    return login


@capture("security-practice/loopback-port-mismatch")
def _(c):
    """A tool listens at a port that was free, and the provider wants the one that is registered."""
    login = loopback(c)
    c.get(login.request, 400, body="<!doctype html><title>Error</title><p>Invalid parameter: redirect_uri</p>")


@capture("security-practice/loopback-port-mismatch.near-miss")
def _(c):
    """A tool listens at a port that was free, and the provider does not mind."""
    login = loopback(c)
    login.sign_in()
    login.token(client_secret=None)
    login.keys()


def tool(c, redirect):
    login = Login(c, client="shop-tool", redirect=redirect)
    login.sign_in()
    login.token(client_secret=None)
    login.keys()


@capture("security-practice/loopback-localhost")
def _(c):
    """A tool on this machine is called back by name."""
    tool(c, "http://localhost:51004/callback")


@capture("security-practice/loopback-localhost.near-miss")
def _(c):
    """A tool on this machine is called back by address."""
    tool(c, "http://127.0.0.1:51004/callback")


@capture("security-practice/custom-scheme-short")
def _(c):
    """The app's scheme is a word that any other app may use as well."""
    tool(c, "shopapp://signed-in")


@capture("security-practice/custom-scheme-short.near-miss")
def _(c):
    """The app's scheme is its domain, reversed."""
    tool(c, NATIVE_REDIRECT)
