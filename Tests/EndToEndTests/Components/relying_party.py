"""Apache with mod_auth_openidc: one protected page, its back channel through the recording proxy."""
import os
import pathlib
import pwd
import re
import shutil
import urllib.parse

import front
from service import Service, free_port

MODULE = pathlib.Path("/usr/lib/apache2/modules/mod_auth_openidc.so")
MODULES = ["mpm_event", "authz_core", "authz_user", "authn_core", "alias", "dir", "env", "mime", "include", "filter",
           "socache_shmcb", "ssl", "auth_openidc"]

CONFIGURATION = """
ServerRoot "{folder}"
DefaultRuntimeDir "{folder}"
PidFile "{folder}/pid"
ServerName localhost:{port}
Listen 127.0.0.1:{own_port}
{modules}
{user}
StartServers 1
ServerLimit 1
ThreadsPerChild 16
MaxRequestWorkers 16
Mutex file:{folder} default
LogLevel warn auth_openidc:info
ErrorLog "{folder}/errors"
CustomLog "{folder}/requests" "%>s %r"
TypesConfig /etc/mime.types
DocumentRoot "{folder}/pages"
DirectoryIndex index.html
SSLEngine on
SSLCertificateFile {certificate}
SSLCertificateKeyFile {key}
<Directory "{folder}/pages">
  Require all granted
</Directory>

OIDCProviderMetadataURL {issuer}/.well-known/openid-configuration
OIDCClientID {client}
OIDCClientSecret {secret}
OIDCProviderTokenEndpointAuth client_secret_basic
OIDCRedirectURI {redirect_uri}
OIDCCryptoPassphrase a-passphrase-for-tests-only
OIDCScope "{scope}"
{pkce}
OIDCDefaultLoggedOutURL {logged_out}
{outgoing}
{protocols}
{directives}

<Location /protected>
  AuthType openid-connect
  Require valid-user
</Location>
"""


def faketime():
    """The library that gives a process another clock; None where it is not installed."""
    return next(iter(sorted(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)


def command(folder):
    """What starts the server whose files are in `folder`, in the foreground."""
    return ["apache2", "-f", str(folder / "apache.conf"), "-DFOREGROUND"]


def clock(offset):
    """The variables that give a process another clock, an `offset` like +2h away; none without one."""
    # The monotonic clock stays: the server's own waits depend on it.
    return {"LD_PRELOAD": str(faketime()), "FAKETIME": offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1"} if offset else {}


class RelyingParty:
    """`directives` come after the others and so replace them; `clock` is an offset like +2h.

    Without `proxy` it takes the proxy and the roots to trust from the environment of whoever starts it."""

    def __init__(self, state, authority, provider, proxy=None, proxy_ca=None, directives=(), clock=None, pkce=True,
                 port=None, http2=False, http3=False):
        self.folder, self.authority, self.provider, self.pkce = state / "relying-party", authority, provider, pkce
        self.proxy, self.proxy_ca, self.port = proxy, proxy_ca, port or free_port()
        self.directives, self.clock, self.http2 = directives, clock, http2
        self.own_port = free_port() if http3 else self.port
        self.front = None
        self.origin = f"https://localhost:{self.port}"
        self.page = f"{self.origin}/protected/"
        self.redirect_uri = f"{self.origin}/protected/callback"
        self.logged_out = f"{self.origin}/bye.html"

    @property
    def logout(self):
        return f"{self.redirect_uri}?logout={urllib.parse.quote(self.logged_out, safe='')}"

    def __enter__(self):
        self.prepare()
        self.service = Service(command(self.folder), self.own_port, self.folder / "out", **clock(self.clock))
        self.service.start()
        if self.own_port != self.port:
            certificate, key = self.authority.leaf("relying-party")
            self.front = front.http3(self.folder, self.port, self.own_port, certificate, key, "https")
            self.front.start()
        return self

    def prepare(self):
        """Writes all that the server reads."""
        pages = self.folder / "pages" / "protected"
        pages.mkdir(parents=True)
        (pages / "index.html").write_text('<!doctype html><title>Inside</title><h1 id="inside">Inside</h1>\n')
        (pages.parent / "bye.html").write_text('<!doctype html><title>Bye</title><h1 id="bye">Bye</h1>\n')
        user = ""
        if os.getuid() == 0:
            user = "User www-data\nGroup www-data"
            account = pwd.getpwnam("www-data")
            os.chown(self.folder, account.pw_uid, account.pw_gid)
        for folder in (self.folder, *list(self.folder.parents)[:3]):
            if folder.stat().st_uid == os.getuid():
                folder.chmod(folder.stat().st_mode | 0o055)
        certificate, key = self.authority.leaf("relying-party")
        (self.folder / "apache.conf").write_text(CONFIGURATION.format(
            folder=self.folder, port=self.port, own_port=self.own_port, user=user, certificate=certificate, key=key, issuer=self.provider.issuer,
            client=self.provider.CLIENT, secret=self.provider.SECRET, scope=" ".join(self.provider.SCOPES),
            redirect_uri=self.redirect_uri, logged_out=self.logged_out, outgoing=self._outgoing(),
            pkce="OIDCPKCEMethod S256" if self.pkce else "",
            directives="\n".join(self.directives).format(app=self), protocols="Protocols h2 http/1.1" if self.http2 else "",
            modules="\n".join(f"LoadModule {name}_module {MODULE.parent}/mod_{name}.so"
                              for name in MODULES + (["http2"] if self.http2 else []))))

    def _outgoing(self):
        if self.proxy is None:
            return "OIDCCABundlePath ${SSL_CERT_FILE}"
        # A copy that the server's own user can read.
        trusted = self.folder / "proxy-ca.pem"
        shutil.copyfile(self.proxy_ca, trusted)
        trusted.chmod(0o644)
        return f'OIDCOutgoingProxy {self.proxy}\nOIDCCABundlePath "{trusted}"'

    def logged(self, pattern):
        """The last line of the log that `pattern` is in."""
        lines = (self.folder / "errors").read_text(errors="replace").splitlines()
        return next((line for line in reversed(lines) if re.search(pattern, line)), None)

    def answers(self):
        """What it has answered so far, as (status, URL)."""
        words = [line.split() for line in (self.folder / "requests").read_text(errors="replace").splitlines()]
        # A connection that was only tried has no address: its line is `408 -`.
        return [(int(status), self.origin + target) for status, _, target, *_ in (line for line in words if len(line) > 3)]

    def __exit__(self, *_):
        if self.front:
            self.front.stop()
        self.service.stop()
