"""Parts for writing captures by hand: values, tokens, one login step by step, the file itself.

Everything is computed from the capture's name, so the same script writes the same bytes.
"""

import base64
import datetime
import hashlib
import json
import pathlib
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent

# Two throw-away RSA keys, modulus and private exponent, made with `openssl genrsa 2048` for these files alone.
KEYS = {
    "2025-11": (
        int(
        "a9d938d194f79c4654183ebabb642729519386dff8cfb90324127ddcae8df7575745fdb55c9661ed3c175f9f1d035006"
        "4a690550eaa20f2d2df1ac0d6fde383962956692120be69bd27171fe2416247900161c9185d970387e1954707ef6af28"
        "4aa6f89e4ce02d136be5b83f83ce0679c28479a8a67fb9457b38542e1b1df59ec77604841bc618d6eb191e26ddc712ab"
        "01dc6af8cc5312ab0950c4d74371cce5793ea8f54207db4fb7aa0236d95dfbf02933f3755dadc174d1910fb93470ce90"
        "f92897e3a99e2bf4ef8da59a5cd3f0f3712aadb7a362094f018cddefb080abf678a281e96e4d16ac0dfb89f4b21931d7"
        "7160f1cff60fb7c33f95d3b26ecc2765"
        , 16),
        int(
        "5323d17c45bf2eeffe1a201aa7bfceab9b12ebe2969897a7c1f08b4b8ae6533c9dabd51501cd5b0215781b86775d37be"
        "dc8dabdc7ffdf40fd97d830ad0c7a61df0f3d0d18fa3e3ae42c4e557d1b2450835d29d095ecba0f30646bfde91478f55"
        "d9b501ddfb2380ed10d3d1ecc548044375c403095af70a69c8773a3d976882e1f8a3555c800e350c86c3ad618a1c00ff"
        "362ac2ae717bbb17c48a9da651c043767deb184d10e4c4978011134f4aba209193b78034eedd36e13cb45d45613519ef"
        "29a61794eba9431994f7aa55d43f5d3c74bd5f2f05bd250ed6132e523706d8c3abff91b61d47dc3fdb2206cb8400bde1"
        "a1d94a647cf6de34247a6fc85ef841d"
        , 16),
    ),
    "2026-03": (
        int(
        "db42960530b06a524981f2a6112ff768333c152267fa93fc6eb1c23bb4a022c5afeca362f05e9c537b7adf386aafcf05"
        "1afeeea5f0f69cee8b5f6b79f02c0fec28cbddd6cad4306cda4a0aa868a0d181caf430036871f33879114a4dd16a1bab"
        "6ca177270f4283c6b6223e8f305b9402ea9686eb3d952a02ad4242ce040e2817afec10c77c7c3da0e7cdcbf8d3e8efe9"
        "b635bb6c69c2cf615a5710124c77219e1556455d60c2dcb5e2500d4ed241ffce1b0aa62555d812f02a96732d076bf7af"
        "85c37f96e7a88947edb151ca3eebd170acc28a21341e283fab872418a77fd7be1f2b521637d353ade112484cafccb059"
        "f3d916c1bf447e8c3631eda4f88d5751"
        , 16),
        int(
        "34d9aef99f4bd6c4f0ecfec522bd72204ec13bc2e857511676c42832660e7773393d8c008c39f1ea79881b8828c729da"
        "6c3068ebdcd244ef86eec0244b4d03a5840be7f41f3dd85254a7a63c03c447dbc644e7d1da7a250b46bb7132a2b8b5e4"
        "b331945bf8e4aa88da5c14c24500be0399f220a1515dc41b9311b6b29beda1a1e9cfe5c29215b7071d9d7dd0fadf52a8"
        "ecdc2599ae775501702a37824ffc0a2a95e174a6b3794d863f347e675b9b15aabb4e3c0f63819f2c1d38ccdb6d359519"
        "06893344d9df1b62f68ad6a59407c8935cdd4b8546b8b8a871c31edc0c63d4aa64817811fc2f88d47271ea20f1ba9677"
        "b15b6eefe760922aad0bbae486fdccb1"
        , 16),
    ),
}

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
BACKEND = "shop-backend/2.1"
NATIVE = "Shop/4.2 CFNetwork/1568.200.51 Darwin/24.1.0"
APP = "https://www.shop.example"
ID = "https://id.harbour.example"
FORM = "application/x-www-form-urlencoded"
REASONS = {200: "OK", 201: "Created", 302: "Found", 303: "See Other", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
           500: "Internal Server Error", 503: "Service Unavailable"}


def b64(data):
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data if isinstance(data, bytes) else data.encode()).rstrip(b"=").decode()


def s256(verifier):
    return b64(hashlib.sha256(verifier.encode()).digest())


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def form(**fields):
    return urllib.parse.urlencode(fields)


def jwk(kid):
    return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": kid, "n": b64(KEYS[kid][0].to_bytes(256, "big")), "e": "AQAB"}


def jwks(*kids):
    return {"keys": [jwk(kid) for kid in kids]}


def jwt(claims, kid="2026-03", named=True):
    """RS256 (RFC 7518, section 3.3): RSASSA-PKCS1-v1_5 by hand, so that nothing but Python is needed."""
    return sign({"alg": "RS256", "typ": "JWT", **({"kid": kid} if named else {})}, claims, kid)


def sign(header, claims, kid="2026-03"):
    """A token with a header of one's own; signed with RS256 whatever that says."""
    signed = b64(compact(header)) + "." + b64(compact(claims))
    digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(signed.encode()).digest()
    block = b"\x00\x01" + b"\xff" * (256 - 3 - len(digest)) + b"\x00" + digest
    modulus, exponent = KEYS[kid]
    return signed + "." + b64(pow(int.from_bytes(block, "big"), exponent, modulus).to_bytes(256, "big"))


class Capture:
    """One file: exchanges in order of time, a clock, and values of its own."""

    def __init__(self, path, shows):
        self.path, self.shows, self.entries = path, shows, []
        self.creator = ("authreel", "captures/make")
        day = int(hashlib.sha256(path.encode()).hexdigest(), 16) % 28
        self.now = datetime.datetime(2026, 3, 1, 9, 15, tzinfo=datetime.timezone.utc) + datetime.timedelta(days=day)

    def value(self, label, length=22):
        digest = hashlib.sha512(f"{self.path} {label}".encode()).digest()
        return b64(digest + hashlib.sha512(digest).digest())[:length]

    def wait(self, seconds):
        self.now += datetime.timedelta(seconds=seconds)

    @property
    def seconds(self):
        return int(self.now.timestamp())

    def exchange(self, method, url, status, *, agent=BROWSER, body=None, kind=None, sent=None, sent_kind=FORM, cookies=None, sets=(),
                 location=None, headers=(), answers=(), error=None, took=40, process=None):
        """One exchange. `body` is the answer (an object becomes JSON), `sent` the request's body, `sets` the cookies it sets."""
        request = [("Host", urllib.parse.urlsplit(url).netloc), ("User-Agent", agent), *headers]
        if cookies:
            request.append(("Cookie", "; ".join(f"{name}={value}" for name, value in cookies.items())))
        if sent is not None:
            request += [("Content-Type", sent_kind), ("Content-Length", str(len(sent)))]
        text = compact(body) if isinstance(body, (dict, list)) else body or ""
        kind = kind or ("application/json" if isinstance(body, (dict, list)) else "text/html; charset=utf-8" if text else "")
        response = []
        if status:
            response = [("Date", self.now.strftime("%a, %d %b %Y %H:%M:%S GMT"))]
            response += [("Set-Cookie", cookie) for cookie in sets] + list(answers)
            response += [("Location", location)] if location else []
            response += [("Content-Type", kind)] if kind else []
        pairs = lambda items: [{"name": name, "value": value} for name, value in items]
        entry = {
            "startedDateTime": self.now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.now.microsecond // 1000:03d}Z",
            "time": took,
            "request": {
                "method": method, "url": url, "httpVersion": "HTTP/1.1", "cookies": pairs((cookies or {}).items()),
                "headers": pairs(request), "queryString": pairs(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query, keep_blank_values=True)),
                **({"postData": {"mimeType": sent_kind, "text": sent}} if sent is not None else {}),
                "headersSize": -1, "bodySize": len(sent or ""),
            },
            "response": {
                "status": status, "statusText": REASONS.get(status, ""), "httpVersion": "HTTP/1.1" if status else "", "cookies": [],
                "headers": pairs(response), "content": {"size": len(text.encode()), "mimeType": kind, "text": text},
                "redirectURL": location or "", "headersSize": -1, "bodySize": len(text.encode()) if status else -1,
            },
            "cache": {}, "timings": {"send": 0, "wait": took, "receive": 0},
            **({"_error": error} if error else {}),
            "_authreel": {"client": {"process": process or {BROWSER: "firefox", NATIVE: "Shop"}.get(agent, "shop-backend")}},
        }
        self.entries.append(entry)
        self.wait((took + 20) / 1000)

    def get(self, url, status=200, **rest):
        self.exchange("GET", url, status, **rest)

    def post(self, url, status=200, **rest):
        self.exchange("POST", url, status, **rest)

    @property
    def text(self):
        lines = ",\n".join(compact(entry) for entry in self.entries)
        name, version = self.creator
        head = '{"log":{"version":"1.2","creator":{"name":"%s","version":"%s"},"entries":[\n' % (name, version)
        return head + lines + "\n]}}\n"


class Login:
    """A code flow with PKCE between shop and harbour. Each step is a method; a fault is an argument of its step, or another attribute."""

    def __init__(self, capture, name="login", client="shop-web", redirect=APP + "/callback"):
        self.c, self.client, self.redirect = capture, client, redirect
        self.state, self.nonce = capture.value(f"{name} state"), capture.value(f"{name} nonce")
        self.code, self.verifier = capture.value(f"{name} code", 32), capture.value(f"{name} verifier", 43)
        self.access, self.refresh_token = capture.value(f"{name} access", 40), capture.value(f"{name} refresh", 40)
        self.session, self.cookie = capture.value(f"{name} session"), capture.value(f"{name} cookie")
        self.challenge, self.id_token, self.secret = s256(self.verifier), None, "not-a-secret-of-anyone"
        self.query, self.landing = {}, APP + "/"

    # The browser's half

    @property
    def request(self):
        fields = {"response_type": "code", "client_id": self.client, "redirect_uri": self.redirect, "scope": "openid profile",
                  "state": self.state, "nonce": self.nonce, **self.query}
        if self.challenge:
            fields = {**fields, "code_challenge": self.challenge, "code_challenge_method": "S256", **self.query}
        return ID + "/authorize?" + urllib.parse.urlencode({name: value for name, value in fields.items() if value is not None})

    def start(self, attributes="Path=/; Secure; HttpOnly; SameSite=Lax"):
        self.c.get(APP + "/login", 302, location=self.request, sets=[f"shop_login={self.cookie}; {attributes}"])

    def sign_in(self, state=None, seconds=8, **answer):
        """The sign-in page, and the redirect back. `state` replaces the one that comes back."""
        page = '<form method="post" action="/sign-in"><input type="hidden" name="flow" value="%s"><input name="user"></form>' % self.session
        self.c.get(self.request, 200, body="<!doctype html><title>Sign in</title>" + page, sets=[f"harbour={self.session}; Path=/; Secure"])
        self.c.wait(seconds)
        self.answer = self.redirect + ("&" if "?" in self.redirect else "?") + form(**(answer or {"code": self.code}), state=self.state if state is None else state)
        self.c.post(ID + "/sign-in", 302, sent=form(flow=self.session, user="alice", password="not-a-password"), location=self.answer,
                    cookies={"harbour": self.session})

    def callback(self, status=302, body=None, cookies=True, location=None, took=400):
        """The answer of the app. Its own requests to the provider happen meanwhile; write them after it."""
        self.c.get(self.answer, status, body=body, took=took, cookies={"shop_login": self.cookie} if cookies else None,
                   location=(location or self.landing) if status in (302, 303) else None)
        self.c.wait(-(took - 20) / 1000)

    # The back end's half

    def discover(self, metadata=None, **rest):
        """The provider's metadata, with members changed or added."""
        self.c.get(ID + "/.well-known/openid-configuration", body={**METADATA, **(metadata or {})}, agent=BACKEND, **rest)

    def keys(self, *kids, agent=BACKEND):
        self.c.get(ID + "/jwks", body=jwks(*(kids or ("2025-11", "2026-03"))), agent=agent, answers=[("Cache-Control", "max-age=3600")])

    def claims(self, **changed):
        now = self.c.seconds
        claims = {"iss": ID, "sub": "alice", "aud": self.client, "iat": now, "exp": now + 600, "nonce": self.nonce, **changed}
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, status=200, body=None, agent=BACKEND, headers=(), answers=(), **changed):
        """The exchange of the code. A changed field replaces one of the form; None leaves it out."""
        fields = {"grant_type": "authorization_code", "code": self.code, "redirect_uri": self.redirect, "code_verifier": self.verifier,
                  "client_id": self.client, **({} if agent == NATIVE else {"client_secret": self.secret}), **changed}
        if body is None and status == 200:
            self.id_token = self.id_token or jwt(self.claims())
            body = {"access_token": self.access, "token_type": "Bearer", "expires_in": 600, "refresh_token": self.refresh_token,
                    "scope": "openid profile", "id_token": self.id_token}
        self.c.post(ID + "/token", status, agent=agent, sent=form(**{name: value for name, value in fields.items() if value is not None}),
                    body=body, headers=headers, answers=[("Cache-Control", "no-store"), *answers])

    def userinfo(self, status=200, agent=BACKEND):
        self.c.get(ID + "/userinfo", status, agent=agent, headers=[("Authorization", f"Bearer {self.access}")],
                   body={"sub": "alice", "name": "Alice"} if status == 200 else {"error": "invalid_token"})

    def home(self):
        self.c.wait(0.3)
        self.c.get(APP + "/", body="<!doctype html><title>Shop</title>Hello Alice", cookies={"shop_session": self.session})


METADATA = {
    "issuer": ID, "authorization_endpoint": ID + "/authorize", "token_endpoint": ID + "/token", "userinfo_endpoint": ID + "/userinfo",
    "jwks_uri": ID + "/jwks", "end_session_endpoint": ID + "/end-session", "registration_endpoint": ID + "/register",
    "response_types_supported": ["code"], "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"],
    "code_challenge_methods_supported": ["S256"], "scopes_supported": ["openid", "profile"],
    "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
}


MADE = []


def capture(path):
    """Registers a function that fills a capture: `path` is its name, its docstring the line in README.md."""
    def add(function):
        MADE.append((path + ".har", " ".join(function.__doc__.split()), function))
        return function

    return add


# What several stages need

REFUSED = {"error": "invalid_grant", "error_description": "The grant was not accepted"}
FAILED = "<!doctype html><title>Shop</title>Sign-in failed"


def web(c, **rest):
    """A login up to the provider's answer."""
    login = Login(c, **rest)
    login.start()
    return login


def thumbprint(key):
    """SHA-256 of a key (RFC 7638)."""
    return b64(hashlib.sha256(compact({name: jwk(key)[name] for name in ("e", "kty", "n")}).encode()).digest())


def proof(c, method, url, key="2026-03", token=None, header=None, **claims):
    """The DPoP header of a request."""
    public = {name: value for name, value in jwk(key).items() if name in ("kty", "n", "e")}
    bound = {"ath": b64(hashlib.sha256(token.encode()).digest())} if token else {}
    claims = {"jti": c.value("proof %d" % len(c.entries)), "htm": method, "htu": url, "iat": c.seconds, **bound, **claims}
    return ("DPoP", sign({"typ": "dpop+jwt", "alg": "RS256", "jwk": public, **(header or {})}, claims, key))


def refresh(login, status=200, body=None, scope=None, **claims):
    fields = {"grant_type": "refresh_token", "refresh_token": login.refresh_token, "client_id": login.client, "client_secret": login.secret}
    if scope:
        fields["scope"] = scope
    if status == 200:
        body = {"access_token": login.c.value("second access", 40), "token_type": "Bearer", "expires_in": 600, "scope": "openid profile",
                "refresh_token": login.c.value("second refresh", 40), "id_token": jwt(login.claims(**{"nonce": None, **claims}))}
    login.c.post(ID + "/token", status, agent=BACKEND, sent=form(**fields), body=body, answers=[("Cache-Control", "no-store")])


def logout(login):
    return ID + "/end-session?" + form(id_token_hint=login.id_token, post_logout_redirect_uri=APP + "/goodbye", state=login.c.value("logout state"))


def registered(c, secret):
    """A client that the provider registered a minute ago."""
    login = Login(c, client="shop-" + c.value("client", 8))
    login.secret = secret
    c.post(ID + "/register", 201, agent=BACKEND, sent='{"redirect_uris":["%s"]}' % login.redirect, sent_kind="application/json",
           body={"client_id": login.client, "client_secret": secret, "client_secret_expires_at": 0, "redirect_uris": [login.redirect],
                 "grant_types": ["authorization_code"], "token_endpoint_auth_method": "client_secret_basic"})
    c.wait(60)
    return login


def basic_token(login, secret, status, body=None):
    """The exchange of the code with Basic credentials as given, not encoded."""
    credentials = base64.b64encode(f"{login.client}:{secret}".encode()).decode()
    login.token(status, body, client_id=None, client_secret=None)
    login.c.entries[-1]["request"]["headers"].append({"name": "Authorization", "value": "Basic " + credentials})


def with_token(c, id_token, *, status=302, keys=(), before=()):
    """A login whose ID token is made by a function of the login."""
    login = Login(c)
    if before:
        login.discover()
        login.keys(*before)
    login.start()
    login.sign_in()
    login.callback(status, None if status == 302 else FAILED)
    login.id_token = id_token(login)
    login.token()
    if keys is not None:
        login.keys(*keys)
    return login
