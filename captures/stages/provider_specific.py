"""Stage 15. Provider-specific."""

from parts import APP, ID, BROWSER, Login, NATIVE, b64, capture, compact, form

PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Mobile/15E148 Safari/604.1"
API = "https://api.shop.example"
SCHEME = "example.shop.app:/oauth2redirect"
SINGPASS, MYINFO, GOOGLE = "/singpass/v2/authorize", "/com/v4/authorize", "/o/oauth2/v2/auth"


class At(Login):
    """A login at another path than harbour's own."""

    def __init__(self, c, path, leave=(), **rest):
        super().__init__(c, **rest)
        self.path, self.leave = path, leave

    @property
    def request(self):
        url = super().request.replace(ID + "/authorize?", ID + self.path + "?")
        head, query = url.split("?")
        return head + "?" + "&".join(part for part in query.split("&") if part.split("=")[0] not in self.leave)


def on_phone(c):
    for entry in c.entries:
        for field in entry["request"]["headers"]:
            if field["value"] == BROWSER:
                field["value"] = PHONE
        if entry["_authreel"]["client"]["process"] == "firefox":
            entry["_authreel"]["client"]["process"] = "Safari"


def challenge(login):
    """The back end makes the challenge for its app."""
    login.c.post(API + "/login/start", agent=NATIVE, sent='{"provider":"singpass"}', sent_kind="application/json",
                 body={"code_challenge": login.challenge, "state": login.state, "nonce": login.nonce})


def handed_on(login):
    """The app hands the code to its back end, which exchanges it."""
    c = login.c
    c.post(API + "/login/finish", agent=NATIVE, sent=compact({"code": login.code, "state": login.state}), sent_kind="application/json",
           body={"session": login.session}, took=300)
    c.wait(-0.28)
    login.token()
    login.keys()


@capture("provider-specific/singpass-parameter-missing")
def _(c):
    """A login with a Singpass stand-in has no nonce and is refused."""
    login = At(c, SINGPASS, leave=["nonce"])
    login.start()
    c.get(login.request, 400, body="Missing nonce", kind="text/plain")


@capture("provider-specific/singpass-parameter-missing.near-miss")
def _(c):
    """A MyInfo login has neither state nor nonce, and needs none."""
    login = At(c, MYINFO, leave=["state", "nonce"])
    login.query = {"purpose_id": "demonstration", "scope": "name"}
    login.start()
    login.answer = login.redirect + "?" + form(code=login.code)
    c.get(login.request, 302, location=login.answer)
    login.callback()
    login.token(body={"access_token": login.access, "token_type": "Bearer", "expires_in": 600, "scope": "name"})


@capture("provider-specific/singpass-app-launch-url-missing")
def _(c):
    """An app on an iPhone signs in with a scheme of its own, and Singpass does not learn where to return to."""
    login = At(c, SINGPASS, client="shop-app", redirect=SCHEME)
    challenge(login)
    login.sign_in()
    handed_on(login)
    on_phone(c)


@capture("provider-specific/singpass-app-launch-url-missing.near-miss")
def _(c):
    """A web site signs in on an iPhone: the browser is where the login returns to."""
    login = At(c, SINGPASS)
    login.start()
    login.sign_in()
    login.callback()
    login.token()
    login.keys()
    on_phone(c)


@capture("provider-specific/singpass-https-type-missing")
def _(c):
    """An app claims an https address, and Singpass is not told; the browser loads the address."""
    login = At(c, SINGPASS, client="shop-app", redirect=APP + "/app/signed-in")
    login.query = {"app_launch_url": APP + "/app"}
    challenge(login)
    login.sign_in()
    login.callback(404, "<!doctype html><title>Not found</title>", cookies=False, took=40)
    on_phone(c)


@capture("provider-specific/singpass-https-type-missing.near-miss")
def _(c):
    """An app claims an https address and says so."""
    login = At(c, SINGPASS, client="shop-app", redirect=APP + "/app/signed-in")
    login.query = {"app_launch_url": APP + "/app", "redirect_uri_https_type": "app_claimed_https"}
    challenge(login)
    login.sign_in()
    handed_on(login)
    on_phone(c)


def myinfo(c, **query):
    login = At(c, MYINFO, leave=["state", "nonce"], client="shop-app", redirect=SCHEME)
    login.query = {"scope": "name", "app_launch_url": APP + "/app", **query}
    return login


def granted(login):
    login.c.get(login.request, 302, location=login.redirect + "?" + form(code=login.code))
    login.token(body={"access_token": login.access, "token_type": "Bearer", "expires_in": 600, "scope": "name"})
    on_phone(login.c)


@capture("provider-specific/singpass-https-type-on-myinfo")
def _(c):
    """A MyInfo login declares what only Singpass reads."""
    granted(myinfo(c, purpose_id="demonstration", redirect_uri_https_type="app_claimed_https"))


@capture("provider-specific/singpass-https-type-on-myinfo.near-miss")
def _(c):
    """A MyInfo login with a scheme of its own, and nothing declared."""
    granted(myinfo(c, purpose_id="demonstration"))


@capture("provider-specific/myinfo-purpose-missing")
def _(c):
    """A MyInfo login names no purpose and is refused."""
    login = myinfo(c)
    c.get(login.request, 400, body={"error": "invalid_request", "error_description": "purpose_id is missing"})
    on_phone(c)


@capture("provider-specific/myinfo-purpose-missing.near-miss")
def _(c):
    """A login with Singpass has no purpose, and needs none."""
    login = At(c, SINGPASS)
    login.start()
    login.sign_in()
    login.callback()
    login.token()
    login.keys()


def apple(c, age, status, **changed):
    """A token request with a secret of Apple's kind; the signature is of no importance here."""
    login = Login(c, client="example.shop.web")
    login.start()
    login.sign_in()
    login.callback(*((500, "<!doctype html><title>Shop</title>Sign-in failed") if status != 200 else ()))
    claims = {"iss": "TEAM123456", "iat": c.seconds - age, "exp": c.seconds - age + 86400 * 90, "aud": "https://appleid.apple.com",
              "sub": login.client, **changed}
    login.secret = ".".join([b64(compact({"alg": "ES256", "kid": "KEY1234567"})), b64(compact(claims)), b64(c.value("signature", 64))])
    login.token(status, {"error": "invalid_client"} if status != 200 else None)


@capture("provider-specific/apple-client-secret-invalid")
def _(c):
    """The client secret for Apple was made a hundred days ago, for ninety days."""
    apple(c, 86400 * 100, 400)


@capture("provider-specific/apple-client-secret-invalid.near-miss")
def _(c):
    """The client secret for Apple is ten days old and right in every part that shows; the client is refused all the same."""
    apple(c, 86400 * 10, 400)


def google(c, **query):
    login = At(c, GOOGLE, client="000000000000-shop.apps.googleusercontent.com")
    login.query = query
    login.start()
    login.sign_in()
    login.callback()
    login.token()
    login.keys()


@capture("provider-specific/google-offline-missing")
def _(c):
    """A web app asks Google for a refresh token as it would ask others."""
    google(c, scope="openid profile offline_access")


@capture("provider-specific/google-offline-missing.near-miss")
def _(c):
    """A web app asks Google for a refresh token as Google wants it."""
    google(c, access_type="offline", prompt="consent")
