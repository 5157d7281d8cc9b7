"""A user without a browser: curl asks for the pages of a login one after the other, scripts and pictures left out."""
import json
import subprocess
import urllib.parse

import authority
import native_app
import provider
import relying_party
from service import environment

AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


class Visitor:
    """`more` are options for each curl; every request is a process and a connection of its own."""

    def __init__(self, folder, proxy, proxy_ca, more=()):
        self.body, self.steps = folder / "visitor-body", []
        jar = folder / "visitor-cookies"
        self.curl = ["curl", "-q", "--silent", "--show-error", "--max-time", "15", "--user-agent", AGENT, "--noproxy", "",
                     "--proxy", f"http://{proxy}", "--cacert", proxy_ca, "--cookie", jar, "--cookie-jar", jar,
                     "--output", self.body, "--write-out", "%{http_code} %{redirect_url}", *more]

    def ask(self, url, expected, *options):
        """Where the answer leads, or nothing; its status has to be the expected one."""
        done = subprocess.run([*self.curl, *options, url], capture_output=True, text=True, env=environment(), timeout=20)
        status, _, target = done.stdout.partition(" ")
        self.steps.append(f"{urllib.parse.urlsplit(url).path} {status}")
        if status != str(expected):
            raise RuntimeError(f"{url}: {status} {done.stderr} {self.body.read_text(errors='replace')[:300]}")
        return target

    def log_in(self, idp, app):
        """The protected page, the provider's login page, the password, and back to a page for those who are in."""
        request = self.ask(app.page, 302)
        self.ask(self.ask(request, 302), 200)
        who = json.dumps({"username": idp.USER, "password": idp.PASSWORD})
        self.ask(f"{idp.origin}/api/auth/", 200, "--header", "Content-Type: application/json", "--data", who)
        self.ask(self.ask(self.ask(f"{request}&g_continue", 302), 302), 200)

    def log_out(self, app):
        self.ask(self.ask(app.logout, 302), 302)


def website(state, proxy, proxy_ca, http2):
    """A login at the relying party, and the logout."""
    ca = authority.Authority(state)
    with (provider.Provider(state, ca, http2=http2) as idp,
          relying_party.RelyingParty(state, ca, idp, proxy, proxy_ca, http2=http2) as app):
        idp.register(app.redirect_uri, app.logged_out)
        user = Visitor(state, proxy, proxy_ca)
        user.log_in(idp, app)
        user.log_out(app)
        return {"issuer": idp.issuer, "client": idp.CLIENT, "steps": user.steps}


def app(state, proxy, proxy_ca, http2):
    """The login of a native app, up to its end."""
    ca = authority.Authority(state)
    public = {"confidential": False, "client_secret": None, "token_endpoint_auth_method": ["none"]}
    with provider.Provider(state, ca, public, {"pkce-required-public-client": True}, http2=http2) as idp:
        notes = native_app.NativeApp(state, idp, proxy, proxy_ca)
        idp.register(notes.redirect_uri, notes.SIGNED_OUT, [])
        _, _, tokens = notes.log_in()
        notes.userinfo(tokens)
        notes.refresh(tokens)
        notes.end_session(tokens)
        return {"issuer": idp.issuer, "client": idp.CLIENT, "steps": notes.steps}


KINDS = {"website": website, "app": app}
