"""Glewlwyd with an SQLite database: a user, two clients, the OpenID Connect plugin."""
import gzip
import http.cookiejar
import json
import pathlib
import shutil
import ssl
import subprocess
import urllib.error
import urllib.request

import front
from authority import pair
from service import Service, free_port

CONFIGURATION = """
port={port}
bind_address="127.0.0.1"
external_url="{origin}"
login_url="login.html"
api_prefix="api"
static_files_path="{folder}/pages/"
static_files_mime_types = ({types})
log_mode="file"
log_level="WARNING"
log_file="{folder}/log"
cookie_secure=true
cookie_same_site="lax"
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="/usr/lib/glewlwyd/user"
client_module_path="/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
plugin_module_path="/usr/lib/glewlwyd/plugin"
use_secure_connection={secure}
secure_connection_key_file="{key}"
secure_connection_pem_file="{certificate}"
hash_algorithm="SHA512"
database = {{ type="sqlite3"; path="{folder}/database"; }};
"""
TYPES = {".html": "text/html", ".css": "text/css", ".js": "application/javascript", ".json": "application/json"}


class Provider:
    """`client` and `plugin` change what is registered for the client and how the plugin is set; None leaves a value out.

    With `http2` or `http3`, which it does not speak itself, another server stands before it."""

    CLIENT, SECRET = "shop", "shop-secret-0123456789"
    USER, PASSWORD = "alice", "alice-password"
    SCOPES = ["openid", "profile", "email"]

    def __init__(self, state, authority, client=None, plugin=None, http2=False, http3=False):
        self.folder = state / "provider"
        self.folder.mkdir(exist_ok=True)
        self.authority, self.port, self.client, self.plugin = authority, free_port(), client or {}, plugin or {}
        self.begin_front = front.http3 if http3 else front.http2 if http2 else None
        self.own_port = free_port() if self.begin_front else self.port
        self.front = None
        self.origin = f"https://127.0.0.1:{self.port}"
        self.issuer = f"{self.origin}/api/oidc"

    def __enter__(self):
        self._pages()
        self._database()
        certificate, key = self.authority.leaf("provider")
        types = ", ".join(f'{{ extension="{end}"; mime_type="{kind}"; compress=1 }}' for end, kind in TYPES.items())
        configuration = self.folder / "glewlwyd.conf"
        configuration.write_text(CONFIGURATION.format(port=self.own_port, origin=self.origin, folder=self.folder, types=types,
                                                      key=key, certificate=certificate, secure=str(not self.begin_front).lower()))
        self.service = Service(["glewlwyd", "-c", configuration], self.own_port, self.folder / "out")
        self.service.start()
        if self.begin_front:
            self.front = self.begin_front(self.folder, self.port, self.own_port, certificate, key)
            self.front.start()
        return self

    def __exit__(self, *_):
        if self.front:
            self.front.stop()
        self.service.stop()

    def _pages(self):
        # The package links its pages' config.json to a folder, which they cannot load.
        pages = self.folder / "pages"
        shutil.copytree("/usr/share/glewlwyd/webapp", pages, ignore=shutil.ignore_patterns("config.json", "*.map"))
        for candidate in ("/etc/glewlwyd/config-2.7.json", "/etc/glewlwyd/config-2.7.json/config.json",
                          "/usr/share/glewlwyd/templates/config.json"):
            if pathlib.Path(candidate).is_file():
                return shutil.copyfile(candidate, pages / "config.json")
        raise RuntimeError("the package's config.json was not found")

    def _database(self):
        plain = pathlib.Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
        packed = pathlib.Path("/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz")
        script = plain.read_text() if plain.exists() else gzip.open(packed, "rt").read()
        # Nothing of it has to outlive a power failure.
        script = "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;\n" + script
        subprocess.run(["sqlite3", self.folder / "database"], input=script, text=True, check=True, capture_output=True)

    # -- through its own administration API

    def register(self, redirect_uri, logged_out, granted=SCOPES):
        """Makes scopes, user, client and plugin, and the user's consent to the client for the scopes `granted`."""
        admin = self._session("admin", "password")
        for scope in ("profile", "email"):
            admin("POST", "scope/", {"name": scope, "display_name": scope, "description": scope, "password_required": True, "scheme": {}})
        openid = admin("GET", "scope/openid")
        admin("PUT", "scope/openid", {**openid, "password_required": True})
        module = admin("GET", "mod/client/database")
        module["parameters"]["data-format"]["post_logout_redirect_uris"] = {"multiple": True, "read": True, "write": True}
        admin("PUT", "mod/client/database", module)
        admin("PUT", "mod/client/database/reset")
        admin("POST", "user/", {"username": self.USER, "name": "Alice Example", "email": "alice@mail.example", "enabled": True,
                                "password": self.PASSWORD, "scope": [*self.SCOPES, "g_profile"]})
        admin("POST", "client/", self._changed({
            "client_id": self.CLIENT, "name": "Shop", "description": "", "confidential": True, "enabled": True,
            "client_secret": self.SECRET, "redirect_uri": [redirect_uri], "scope": [],
            "authorization_type": ["code", "refresh_token", "delete_token"], "token_endpoint_auth_method": ["client_secret_basic"],
            "post_logout_redirect_uri": logged_out, "post_logout_redirect_uris": [logged_out]}, self.client))
        admin("POST", "mod/plugin/", self._plugin(self.plugin, self.authority.signing_key()))
        if granted:
            user = self._session(self.USER, self.PASSWORD)
            user("PUT", f"auth/grant/{self.CLIENT}", {"scope": " ".join(granted)})

    def change_key(self, published=True):
        """Signs with a new key from now on; unless it is published the key set goes on showing the old one only."""
        admin = self._session("admin", "password")
        shown = {} if published else {"jwks-public": json.dumps(admin("GET", "oidc/jwks"))}
        new = self.folder / "signing.key", self.folder / "signing.pub"
        pair(*new)
        admin("PUT", "mod/plugin/oidc", self._plugin({**self.plugin, **shown}, new))
        admin("PUT", "mod/plugin/oidc/reset")

    @staticmethod
    def _changed(values, changes):
        return {name: value for name, value in {**values, **changes}.items() if value is not None}

    def _plugin(self, changes, keys):
        key, public = keys
        switched_on = ["auth-type-code-enabled", "auth-type-refresh-enabled", "pkce-allowed", "introspection-revocation-allowed",
                       "introspection-revocation-allow-target-client", "session-management-allowed", "oauth-as-iss-id", "jwks-show",
                       "auth-type-code-revoke-replayed", "allow-non-oidc"]
        return {"module": "oidc", "name": "oidc", "display_name": "OpenID Connect", "enabled": True, "parameters": self._changed({
            **{name: True for name in switched_on}, "iss": self.issuer, "jwt-type": "rsa", "jwt-key-size": "256",
            "key": key.read_text(), "cert": public.read_text(), "access-token-duration": 3600, "refresh-token-duration": 86400,
            "code-duration": 600, "refresh-token-rolling": True, "scope": [], "additional-parameters": [], "jwks-x5c": [],
            "allowed-scope": self.SCOPES, "claims": [], "address-claim": {"type": "no"}, "subject-type": "public",
            "name-claim": "on-demand", "name-claim-scope": ["profile"], "email-claim": "on-demand", "email-claim-scope": ["email"],
            "scope-claim": "no", "introspection-revocation-auth-scope": [], "session-cookie-name": "GLEWLWYD2_OIDC_SID",
            "session-cookie-expiration": 86400}, changes)}

    def _session(self, name, password):
        trust = urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=str(self.authority.certificate)))
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), trust,
                                             urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

        def call(method, path, body=None):
            data = None if body is None else json.dumps(body).encode()
            request = urllib.request.Request(f"{self.origin}/api/{path}", data, {"Content-Type": "application/json"}, method=method)
            try:
                with opener.open(request, timeout=20) as answer:
                    text = answer.read()
            except urllib.error.HTTPError as error:
                raise RuntimeError(f"{method} {path}: {error.code} {error.read()[:500]!r}") from None
            return json.loads(text) if text.strip().startswith((b"{", b"[")) else None

        call("POST", "auth/", {"username": name, "password": password})
        return call
