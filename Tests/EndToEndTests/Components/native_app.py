"""A native app, or a script: its login by real curl processes, one for every request, through the recording proxy."""
import base64
import hashlib
import json
import secrets
import subprocess
import typing
import urllib.parse

from service import environment

AGENT = "Notes/4.2 CFNetwork/1568.200.51 Darwin/24.1.0"
DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"


class Answer(typing.NamedTuple):
    """What curl got; status 0 with curl's message where nothing came."""

    status: int
    headers: dict
    text: str

    @property
    def body(self):
        try:
            return json.loads(self.text)
        except ValueError:
            return {}

    @property
    def error(self):
        return self.body.get("error") or (self.text[:200] if self.status in (0, 502) else None)

    def __str__(self):
        return f"{self.status} {self.text[:300]}"


def random_text():
    return secrets.token_urlsafe(32)


def challenge(verifier):
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


class NativeApp:
    """A public client with a redirect URI of a scheme of its own, until it registers as another.

    Each request says by `well` whether it has to succeed or has to be refused; anything else is an error."""

    SIGNED_OUT = "com.example.notes:/signed-out"

    def __init__(self, folder, provider, proxy, proxy_ca):
        self.provider, self.client, self.secret = provider, provider.CLIENT, None
        self.redirect_uri = "com.example.notes:/signed-in"
        self.jar, self.body, self.endpoints, self.steps = folder / "cookies", folder / "body", {}, []
        self.curl = ["curl", "-q", "--silent", "--show-error", "--max-time", "15", "--user-agent", AGENT, "--noproxy", "",
                     "--proxy", f"http://{proxy}", "--cacert", proxy_ca, "--output", self.body,
                     "--write-out", "%{http_code} %{header_json}"]

    # -- requests

    def _send(self, url, *options):
        self.body.write_text("")
        done = subprocess.run([*self.curl, *options, url], capture_output=True, text=True, env=environment(), timeout=20)
        if done.returncode:
            return Answer(0, {}, done.stderr.strip())
        status, headers = done.stdout.split(" ", 1)
        return Answer(int(status), json.loads(headers), self.body.read_text(errors="replace"))

    def _step(self, name, well, url, *options):
        answer = self._send(url, *options)
        self.steps.append(f"{name} {answer.status}" + (f" {answer.error}" if answer.error else ""))
        if (answer.status in (200, 201, 302)) != well:
            raise RuntimeError(f"{name} {'failed' if well else 'went well'}: {answer}")
        return answer

    def _signed_in(self, name, url, *options, well=True):
        return self._step(name, well, url, "--cookie", self.jar, "--cookie-jar", self.jar, *options)

    def _as_client(self, name, endpoint, fields, well=True):
        """A form to one of the endpoints where the client says who it is."""
        if self.secret:
            who = ["--user", f"{self.client}:{self.secret}"]
        else:
            fields, who = {**fields, "client_id": self.client}, []
        return self._step(name, well, self.endpoints[endpoint], *who, "--data", urllib.parse.urlencode(fields))

    @staticmethod
    def _json(value):
        return ["--header", "Content-Type: application/json", "--data", json.dumps(value)]

    # -- the login

    def discover(self):
        self.endpoints = self._step("discovery", True, f"{self.provider.issuer}/.well-known/openid-configuration").body

    def register(self, redirect_uri):
        """Makes the app a confidential client of its own registration, for which the provider takes no scheme of an app."""
        self.redirect_uri = redirect_uri
        answer = self._step("registration", True, self.endpoints["registration_endpoint"], *self._json({
            "client_name": "Notes", "redirect_uris": [self.redirect_uri], "response_types": ["code"],
            "grant_types": ["authorization_code", "refresh_token", "device_authorization"],
            "token_endpoint_auth_method": "client_secret_basic"}))
        self.client, self.secret = answer.body["client_id"], answer.body["client_secret"]

    def sign_in(self):
        """What the provider's page does for the user: password and consent."""
        api = f"{self.provider.origin}/api/auth"
        who = {"username": self.provider.USER, "password": self.provider.PASSWORD}
        self._signed_in("sign-in", f"{api}/", *self._json(who))
        consent = {"scope": " ".join(self.provider.SCOPES)}
        self._signed_in("consent", f"{api}/grant/{self.client}", "--request", "PUT", *self._json(consent))

    def request(self, verifier):
        """The parameters of an authorization request."""
        parameters = {"response_type": "code", "client_id": self.client, "redirect_uri": self.redirect_uri,
                      "scope": " ".join(self.provider.SCOPES), "state": random_text(), "nonce": random_text()}
        if verifier:
            parameters |= {"code_challenge": challenge(verifier), "code_challenge_method": "S256"}
        return parameters

    def authorize(self, parameters):
        """Where the provider sends the user, who is signed in and goes on: the parameters of that address."""
        query = urllib.parse.urlencode(parameters)
        answer = self._signed_in("authorization", f"{self.endpoints['authorization_endpoint']}?{query}&g_continue")
        target = answer.headers["location"][0]
        if not target.startswith(self.redirect_uri):
            raise RuntimeError(f"the provider sends the user to {target}")
        return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(target).query))

    def redeem(self, code, verifier, well=True):
        fields = {"grant_type": "authorization_code", "code": code, "redirect_uri": self.redirect_uri}
        if verifier:
            fields["code_verifier"] = verifier
        return self._as_client("token", "token_endpoint", fields, well)

    def get_code(self, verifier):
        """Everything up to the code."""
        self.discover()
        self.sign_in()
        return self.authorize(self.request(verifier))["code"]

    def log_in(self):
        """Everything up to the tokens: the code, its verifier, and the token response."""
        verifier = random_text()
        code = self.get_code(verifier)
        return code, verifier, self.redeem(code, verifier).body

    # -- with the tokens

    def userinfo(self, tokens, well=True):
        bearer = f"Authorization: Bearer {tokens['access_token']}"
        return self._step("userinfo", well, self.endpoints["userinfo_endpoint"], "--header", bearer)

    def refresh(self, tokens, well=True):
        fields = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
        return self._as_client("refresh", "token_endpoint", fields, well)

    def end_session(self, tokens):
        query = urllib.parse.urlencode({"id_token_hint": tokens["id_token"], "state": random_text(),
                                        "post_logout_redirect_uri": self.SIGNED_OUT})
        return self._signed_in("end_session", f"{self.endpoints['end_session_endpoint']}?{query}")

    def introspect(self, tokens):
        fields = {"token": tokens["access_token"], "token_type_hint": "access_token"}
        return self._as_client("introspection", "introspection_endpoint", fields).body["active"]

    def revoke(self, tokens):
        fields = {"token": tokens["access_token"], "token_type_hint": "access_token"}
        self._as_client("revocation", "revocation_endpoint", fields)

    # -- other beginnings

    def push(self, parameters):
        """A pushed authorization request: the parameters that are left for the browser."""
        answer = self._as_client("pushed_authorization", "pushed_authorization_request_endpoint", parameters)
        return {"client_id": self.client, "request_uri": answer.body["request_uri"]}

    def begin_device(self):
        fields = {"scope": " ".join(self.provider.SCOPES)}
        return self._as_client("device_authorization", "device_authorization_endpoint", fields).body

    def confirm_device(self, device):
        """What the user does on another device: opens the page and goes on."""
        self._signed_in("device_page", f"{device['verification_uri_complete']}&g_continue")

    def poll_device(self, device, well=True):
        fields = {"grant_type": DEVICE_CODE, "device_code": device["device_code"]}
        return self._as_client("device_token", "token_endpoint", fields, well)
