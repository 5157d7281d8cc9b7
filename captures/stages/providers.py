"""Systems in the field, each healthy and broken once; `docs/providers.md` says what is peculiar about each."""

import hashlib

from parts import APP, BACKEND, Login, b64, capture, compact, form, jwks, jwt, proof, thumbprint

PHONE = "Shop/42 CFNetwork/1496.0.7 Darwin/23.5.0"
SAFARI = ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
          "Version/17.5 Mobile/15E148 Safari/604.1")


class At(Login):
    """A login at a system with addresses of its own. `page` is where the user signs in, `posts` where the form goes."""

    issuer = authorize = token_url = jwks_url = userinfo_url = page = posts = metadata_url = None
    scope, sets = "openid profile", ()
    browser, agent = SAFARI, BACKEND

    @property
    def request(self):
        fields = {"response_type": "code", "client_id": self.client, "redirect_uri": self.redirect, "scope": self.scope, "state": self.state,
                  "nonce": self.nonce, "code_challenge": self.challenge, "code_challenge_method": "S256", **self.query}
        return self.authorize + "?" + form(**{name: value for name, value in fields.items() if value is not None})

    @property
    def metadata(self):
        return {"issuer": self.issuer, "authorization_endpoint": self.authorize, "token_endpoint": self.token_url, "jwks_uri": self.jwks_url,
                **({"userinfo_endpoint": self.userinfo_url} if self.userinfo_url else {}), "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"]}

    def begin(self):
        """The app's own redirect, where a backend holds the PKCE pair."""
        self.c.get(APP + "/login", 302, location=self.request, agent=self.browser,
                   sets=[f"shop_login={self.cookie}; Path=/; Secure; HttpOnly; SameSite=Lax"])

    def discover(self, **rest):
        self.c.get(self.metadata_url or self.issuer + "/.well-known/openid-configuration", body=self.metadata, agent=self.agent, **rest)

    def sign_in(self, seconds=9, sent=None, sent_kind=None, **answer):
        cookies = {set.split("=")[0]: set.split("=")[1].split(";")[0] for set in self.sets}
        self.c.get(self.request, 302, location=self.page, agent=self.browser)
        body = "<!doctype html><title>Sign in</title><form method=\"post\" action=\"%s\"><input name=\"user\"></form>" % self.posts
        self.c.get(self.page, body=body, agent=self.browser, sets=self.sets)
        self.c.wait(seconds)
        self.answer = self.redirect + "?" + form(**(answer or {"code": self.code}), state=self.state)
        self.c.post(self.posts, 302, agent=self.browser, cookies=cookies, sent=sent or form(user="alice", password="not-a-password"),
                    location=self.answer)

    def callback(self, status=302, body=None, **rest):
        super().callback(status, body, **rest)
        headers = self.c.entries[-1]["request"]["headers"]
        headers[[header["name"] for header in headers].index("User-Agent")]["value"] = self.browser

    def keys(self, *kids):
        self.c.get(self.jwks_url, body=jwks(*(kids or ("2026-03",))), agent=self.agent)

    def claims(self, **changed):
        return super().claims(**{"iss": self.issuer, **changed})

    def token(self, status=200, body=None, headers=(), **changed):
        fields = {"grant_type": "authorization_code", "code": self.code, "redirect_uri": self.redirect, "client_id": self.client,
                  "code_verifier": self.verifier, **changed}
        if body is None and status == 200:
            self.id_token = self.id_token or jwt(self.claims())
            body = {"access_token": self.access, "token_type": "Bearer", "expires_in": 1799, "id_token": self.id_token, "scope": self.scope}
        self.c.post(self.token_url, status, agent=self.agent, headers=headers, body=body, answers=[("Cache-Control", "no-store")],
                    sent=form(**{name: value for name, value in fields.items() if value is not None}))

    def userinfo(self):
        self.c.get(self.userinfo_url, agent=self.agent, headers=[("Authorization", "Bearer " + self.access)], body={"sub": "alice"})


def unreadable(c, label, header):
    """A compact JWE of which only the header can be read."""
    return ".".join([b64(compact(header).encode()), c.value(label + " key", 54), c.value(label + " iv", 16), c.value(label + " text", 480),
                     c.value(label + " tag", 22)])


def assertion(login, audience):
    now = login.c.seconds
    return jwt({"iss": login.client, "sub": login.client, "aud": audience, "iat": now, "exp": now + 120, "jti": login.c.value("jti")})


ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


# ForgeRock AM


class ForgeRock(At):
    realm = "https://am.bank.example/am/oauth2/realms/root/realms/alpha"
    issuer, authorize, token_url = realm, realm + "/authorize", realm + "/access_token"
    jwks_url, userinfo_url = realm + "/connect/jwk_uri", realm + "/userinfo"
    page, posts = "https://am.bank.example/am/XUI/?realm=/alpha", "https://am.bank.example/am/json/realms/root/realms/alpha/authenticate"
    agent = PHONE

    def __init__(self, c):
        super().__init__(c, client="bank-ios", redirect="com.example.bank:/oauth2redirect")
        self.sets = [f"amlbcookie=01; Path=/; Secure", f"iPlanetDirectoryPro={c.value('sso', 60)}; Path=/; Secure; HttpOnly"]


@capture("providers/forgerock")
def _(c):
    """ForgeRock AM: a native app with PKCE in a sub-realm; the session is the cookie iPlanetDirectoryPro."""
    login = ForgeRock(c)
    login.discover()
    login.sign_in()
    login.token()
    login.keys()
    login.userinfo()


@capture("providers/forgerock.broken")
def _(c):
    """ForgeRock AM: the app sends a redirect URI that is not the registered one, and AM stops on a page of its own."""
    login = ForgeRock(c)
    login.redirect = "com.example.bank:/oauth2redirect/"
    login.discover()
    page = "<!doctype html><title>OAuth2 Error</title><p>redirect_uri_mismatch</p><p>The redirection URI provided does not match a pre-registered value.</p>"
    c.get(login.request, 400, body=page, agent=SAFARI)


# Singpass


class Singpass(At):
    host = "https://stg-id.singpass.gov.sg"
    issuer, authorize, token_url, jwks_url = host, host + "/auth", host + "/token", host + "/.well-known/keys"
    page, posts = host + "/login", host + "/login/confirm"
    scope = "openid"

    def __init__(self, c):
        super().__init__(c, client="T5sM5a53Yaw3URyDEv2y9129CbElCN2F", redirect=APP + "/callback")

    def redeem(self, status=200, **changed):
        body = None
        if status == 200:
            self.id_token = unreadable(self.c, "id token", {"alg": "ECDH-ES+A256KW", "enc": "A256GCM", "kid": "enc-1", "cty": "JWT"})
        else:
            body = {"error": "invalid_grant", "error_description": "redirect_uri does not match"}
        self.token(status, body, client_assertion_type=ASSERTION, client_assertion=assertion(self, self.issuer), **changed)


@capture("providers/singpass")
def _(c):
    """Singpass: a backend holds the PKCE pair and signs in with a client assertion; the ID token is encrypted for it."""
    login = Singpass(c)
    login.discover()
    login.begin()
    login.sign_in()
    login.callback()
    login.redeem()


@capture("providers/singpass.broken")
def _(c):
    """Singpass: the token request names the redirect URI with a slash that the login did not have."""
    login = Singpass(c)
    login.begin()
    login.sign_in()
    login.callback(500, "<!doctype html><title>Shop</title>Sign-in failed")
    login.redeem(400, redirect_uri=login.redirect + "/")


# MyInfo


class MyInfo(At):
    host = "https://test.api.myinfo.gov.sg"
    issuer, authorize, token_url = host, host + "/com/v4/authorize", host + "/com/v4/token"
    jwks_url = host + "/.well-known/keys.json"
    page, posts = host + "/com/v4/consent", host + "/com/v4/consent/allow"
    scope = "uinfin name email"

    def __init__(self, c):
        super().__init__(c, client="STG2-MYINFO-SELF-TEST", redirect=APP + "/callback")
        self.state = self.nonce = None
        self.query = {"purpose_id": "demonstration"}

    def sign_in(self, **rest):
        super().sign_in(**rest)
        self.answer = self.redirect + "?" + form(code=self.code)
        self.c.entries[-1]["response"]["redirectURL"] = self.answer
        for header in self.c.entries[-1]["response"]["headers"]:
            if header["name"] == "Location":
                header["value"] = self.answer

    def redeem(self, status=200):
        body = {"access_token": jwt({"iss": self.issuer, "sub": "2a8e3d8c-5f51", "aud": self.client, "iat": self.c.seconds,
                                     "exp": self.c.seconds + 1800, "scope": self.scope, "cnf": {"jkt": thumbprint("2026-03")}}),
                "token_type": "DPoP", "expires_in": 1799, "scope": self.scope}
        if status != 200:
            body = {"error": "invalid_grant", "error_description": "PKCE verification failed"}
        self.access = body.get("access_token", self.access)
        self.token(status, body, headers=[proof(self.c, "POST", self.token_url)], client_assertion_type=ASSERTION,
                   client_assertion=assertion(self, self.token_url))

    def person(self):
        url = self.host + "/com/v4/person/2a8e3d8c-5f51"
        self.c.get(url + "?" + form(scope=self.scope), agent=self.agent, kind="application/jose",
                   headers=[("Authorization", "DPoP " + self.access), proof(self.c, "GET", url, token=self.access)],
                   body=unreadable(self.c, "person", {"alg": "ECDH-ES+A256KW", "enc": "A256GCM", "kid": "enc-1"}))


@capture("providers/myinfo")
def _(c):
    """MyInfo: no state and no ID token, a purpose instead; the person's data come encrypted and signed."""
    login = MyInfo(c)
    login.begin()
    login.sign_in()
    login.callback()
    login.redeem()
    login.person()


@capture("providers/myinfo.broken")
def _(c):
    """MyInfo: the code challenge is the digest in hexadecimal."""
    login = MyInfo(c)
    login.challenge = hashlib.sha256(login.verifier.encode()).hexdigest()
    login.begin()
    login.sign_in()
    login.callback(500, "<!doctype html><title>Shop</title>Sign-in failed")
    login.redeem(400)


# WSO2 Identity Server


class WSO2(At):
    host = "https://is.corp.example"
    issuer, authorize, token_url = host + "/oauth2/token", host + "/oauth2/authorize", host + "/oauth2/token"
    jwks_url, userinfo_url = host + "/oauth2/jwks", host + "/oauth2/userinfo"
    page, posts = host + "/authenticationendpoint/login.do?sessionDataKey=0f4a5b1c", host + "/commonauth"
    metadata_url = host + "/oauth2/oidcdiscovery/.well-known/openid-configuration"
    agent = PHONE

    def __init__(self, c):
        super().__init__(c, client="gzQf3Zl0pXwWm0eXb8aT2mJkR1ka", redirect="wso2app://oauth2")
        self.sets = [f"commonAuthId={c.value('common auth', 36)}; Path=/; Secure; HttpOnly; SameSite=None"]


@capture("providers/wso2")
def _(c):
    """WSO2 Identity Server: the issuer is the token endpoint's address; the session is the cookie commonAuthId."""
    login = WSO2(c)
    login.discover()
    login.sign_in()
    login.token()
    login.keys()
    login.userinfo()


@capture("providers/wso2.broken")
def _(c):
    """WSO2 Identity Server: the app forgets its code verifier between the login and the token request."""
    login = WSO2(c)
    login.discover()
    login.sign_in()
    login.token(400, {"error": "invalid_grant", "error_description": "PKCE validation failed"}, code_verifier=None)


# Curity


class Curity(At):
    host = "https://login.curity.example"
    issuer, authorize, token_url = host + "/oauth/v2/oauth-anonymous", host + "/oauth/v2/oauth-authorize", host + "/oauth/v2/oauth-token"
    jwks_url, userinfo_url = host + "/oauth/v2/oauth-anonymous/jwks", host + "/oauth/v2/oauth-userinfo"
    page, posts = host + "/authn/authentication/html-form", host + "/authn/authentication/html-form"
    agent = PHONE

    def __init__(self, c):
        super().__init__(c, client="haapi-" + c.value("client", 8), redirect="io.curity.client:/callback")
        self.secret = c.value("secret", 32)

    def register(self):
        sent = compact({"redirect_uris": [self.redirect], "application_type": "native"})
        self.c.post(self.host + "/token-service/oauth-registration", 201, agent=PHONE, sent=sent, sent_kind="application/json",
                    body={"client_id": self.client, "client_secret": self.secret, "redirect_uris": [self.redirect],
                          "grant_types": ["authorization_code", "refresh_token"], "token_endpoint_auth_method": "client_secret_post"})
        self.c.wait(2)


@capture("providers/curity")
def _(c):
    """Curity: each installation of the app registers itself, then signs in with a secret of its own."""
    login = Curity(c)
    login.discover()
    login.register()
    login.sign_in()
    login.token(client_secret=login.secret)
    login.keys()
    login.userinfo()


@capture("providers/curity.broken")
def _(c):
    """Curity: the app goes on with the secret of an earlier registration."""
    login = Curity(c)
    login.register()
    login.sign_in()
    login.token(401, {"error": "invalid_client"}, client_secret=c.value("old secret", 32))


# Google


class Google(At):
    issuer, authorize = "https://accounts.google.com", "https://accounts.google.com/o/oauth2/v2/auth"
    token_url, jwks_url = "https://oauth2.googleapis.com/token", "https://www.googleapis.com/oauth2/v3/certs"
    userinfo_url = "https://openidconnect.googleapis.com/v1/userinfo"
    page, posts = "https://accounts.google.com/v3/signin/identifier", "https://accounts.google.com/v3/signin/_/AccountsSignInUi/data"
    agent = PHONE

    def __init__(self, c):
        id = "407408718192-" + c.value("client", 12).lower().replace("-", "a").replace("_", "b")
        super().__init__(c, client=id + ".apps.googleusercontent.com", redirect=f"com.googleusercontent.apps.{id}:/oauth2redirect")


@capture("providers/google")
def _(c):
    """Google: an iOS client without a secret, called back by its reversed client ID."""
    login = Google(c)
    login.discover()
    login.sign_in()
    login.token()
    login.keys()
    login.userinfo()


@capture("providers/google.broken")
def _(c):
    """Google: the redirect URI is not one of the client's; Google shows an error page of its own."""
    login = Google(c)
    login.redirect = "com.example.shop:/oauth2redirect"
    page = "<!doctype html><title>Error 400: redirect_uri_mismatch</title><h1>Access blocked</h1><p>Error 400: redirect_uri_mismatch</p>"
    c.get(login.request, 302, location="https://accounts.google.com/signin/oauth/error?authError=cmVkaXJlY3RfdXJpX21pc21hdGNo", agent=SAFARI)
    c.get("https://accounts.google.com/signin/oauth/error?authError=cmVkaXJlY3RfdXJpX21pc21hdGNo", 400, body=page, agent=SAFARI)


# AppAuth for iOS, as the client


class AppAuth(At):
    host = "https://id.harbour.example"
    issuer, authorize, token_url = host, host + "/authorize", host + "/token"
    jwks_url, userinfo_url = host + "/jwks", host + "/userinfo"
    page, posts = host + "/sign-in", host + "/sign-in"
    agent = PHONE

    def __init__(self, c):
        super().__init__(c, client="shop-ios", redirect="com.example.shop:/oauthredirect")


@capture("providers/appauth-ios")
def _(c):
    """AppAuth for iOS: discovery, the system's browser, the code exchanged by the app; the key set is not asked for."""
    login = AppAuth(c)
    login.discover()
    login.sign_in()
    login.token()
    login.userinfo()


@capture("providers/appauth-ios.broken")
def _(c):
    """AppAuth for iOS: the provider puts another nonce into the ID token; AppAuth drops the tokens."""
    login = AppAuth(c)
    login.discover()
    login.sign_in()
    login.id_token = jwt(login.claims(nonce=c.value("another nonce")))
    login.token()
