"""Stage 13. Transport."""

from parts import APP, BACKEND, FAILED, ID, METADATA, NATIVE, Login, capture, form, web


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


@capture("transport/tls-certificate-untrusted")
def _(c):
    """The app does not accept the provider's certificate, which the provider signed itself; three tries."""
    for _ in range(3):
        c.get(ID + "/.well-known/openid-configuration", 0, agent=NATIVE,
              error="ERR_CERT_AUTHORITY_INVALID: the certificate of id.harbour.example is not accepted: self-signed certificate")
        c.wait(2)


@capture("transport/tls-certificate-untrusted.near-miss")
def _(c):
    """The certificate is not accepted at first; the user trusts it, and the login goes through."""
    login = Login(c, client="shop-app", redirect="example.shop.app:/oauth2redirect")
    c.get(ID + "/.well-known/openid-configuration", 0, agent=NATIVE, error="net::ERR_CERT_AUTHORITY_INVALID")
    c.wait(40)
    c.get(ID + "/.well-known/openid-configuration", body=METADATA, agent=NATIVE)
    login.sign_in()
    login.token(agent=NATIVE)
    login.keys(agent=NATIVE)


@capture("transport/tls-handshake-failed")
def _(c):
    """The token endpoint wants a certificate of the client; the back end has none."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    c.post(ID + "/token", 0, agent=BACKEND, sent=form(grant_type="authorization_code", code=login.code, redirect_uri=login.redirect),
           error="ERR_BAD_SSL_CLIENT_AUTH_CERT: id.harbour.example:443 sent TLS alert certificate_required")


@capture("transport/tls-handshake-failed.near-miss")
def _(c):
    """The handshake of the token request breaks once; the next one is made, and the login goes through."""
    login = web(c)
    login.sign_in()
    login.callback()
    c.post(ID + "/token", 0, agent=BACKEND, sent=form(grant_type="authorization_code", code=login.code, redirect_uri=login.redirect),
           error="ERR_SSL_PROTOCOL_ERROR: TLS handshake with id.harbour.example:443 failed: it sent alert internal_error")
    login.token()
    login.keys()
    login.home()


@capture("transport/host-unreachable")
def _(c):
    """The back end does not know the provider's name: the code is never exchanged."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    for _ in range(2):
        c.post(ID + "/token", 0, agent=BACKEND, sent=form(grant_type="authorization_code", code=login.code, redirect_uri=login.redirect),
               error="ENOTFOUND: no address found for id.harbour.example")


@capture("transport/host-unreachable.near-miss")
def _(c):
    """The browser gives up a first try of the sign-in page, and the page's tracker is blocked; the login goes through."""
    login = web(c)
    c.get(login.request, 0, error="net::ERR_ABORTED")
    c.get("https://stats.tracker.example/pixel?id=1", 0, error="net::ERR_CONNECTION_REFUSED")
    login.sign_in()
    login.callback()
    login.token()
    login.keys()
    login.home()


@capture("transport/insecure-endpoint")
def _(c):
    """The back end sends the code and its secret to the token endpoint over http."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.token()
    c.entries[-1]["request"]["url"] = ID.replace("https:", "http:") + "/token"
    login.keys()
    login.home()


@capture("transport/insecure-endpoint.near-miss")
def _(c):
    """The app sends the browser to the http address of the provider, which sends it on to https at once."""
    login = Login(c)
    plain = login.request.replace("https://id", "http://id", 1)
    c.get(APP + "/login", 302, location=plain, sets=[f"shop_login={login.cookie}; Path=/; Secure; HttpOnly; SameSite=Lax"])
    c.get(plain, 301, location=login.request)
    login.sign_in()
    login.callback()
    login.token()
    login.keys()
    login.home()


@capture("transport/rate-limited")
def _(c):
    """The token endpoint refuses the exchange of the code twice for too many requests."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    for _ in range(2):
        login.token(429, {"error": "temporarily_unavailable"})
        c.entries[-1]["response"]["headers"].append({"name": "Retry-After", "value": "30"})


@capture("transport/rate-limited.near-miss")
def _(c):
    """The token endpoint refuses the first exchange of the code for too many requests, and takes the next one."""
    login = web(c)
    login.sign_in()
    login.callback(took=3000)
    login.token(429, {"error": "temporarily_unavailable"})
    c.wait(1)
    login.token()
    login.keys()
    login.home()
