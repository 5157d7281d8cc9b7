"""One login in Chromium at a provider that `authreel mock --attack-suite` plays: where it is, the environment says."""
import os
import pathlib
import shutil
import socket
import time
import urllib.parse

import browser
from authority import Authority
from relying_party import RelyingParty

# How long a page may stand still before nothing more is expected of it.
AT_THE_APP, AT_THE_PROVIDER = 1.5, 5


class Provider:
    """What the relying party is registered as there, and who signs in."""

    CLIENT, SECRET = "rp-basic", "basic-secret-0123456789"
    USER, PASSWORD = "alice", "alice-password"
    SCOPES = ["openid", "profile", "email"]

    def __init__(self):
        self.issuer = os.environ["AUTHREEL_ISSUER"]
        parts = urllib.parse.urlsplit(self.issuer)
        self.origin = f"{parts.scheme}://{parts.netloc}"


def application(state, port, directives=()):
    """The relying party on that port, which trusts the provider's authority."""
    folder = state / "relying-party"
    shutil.rmtree(folder, ignore_errors=True)
    # A copy that the server's own user can read.
    trusted = state / "provider-ca.pem"
    shutil.copyfile(os.environ["AUTHREEL_CA"], trusted)
    trusted.chmod(0o644)
    os.environ["SSL_CERT_FILE"] = str(trusted)
    return RelyingParty(state, Authority(state), Provider(), port=port, directives=directives)


def is_running(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def log_in(state, app, provider):
    """Logs in with a new browser; nil when the application shows its page, else where it ended."""
    with browser.opened(state, None, os.environ["AUTHREEL_CA"], [app.authority.certificate]) as seen:
        seen.go(app.page)
        before, since = None, time.monotonic()
        while not seen.has("#inside"):
            step = seen.driver.run(browser.STEP, provider.USER, provider.PASSWORD, provider.SCOPES)
            now = (seen.driver.address(), seen.title(), step == "waiting")
            if now != before:
                before, since = now, time.monotonic()
            patience = AT_THE_PROVIDER if now[0].startswith(provider.origin) else AT_THE_APP
            if now[2] and time.monotonic() - since > patience:
                return f"at {now[0].split('?')[0]}: {seen.title()}: {' '.join(seen.text().split())[:200]}"
            time.sleep(0.1)
    return None


def drive(state, port):
    """The exit status of one login; a relying party that does not run yet is started for it, and stopped."""
    provider = Provider()
    if is_running(port):
        app = RelyingParty(state, Authority(state), provider, port=port)
        failure = log_in(state, app, provider)
    else:
        with application(state, port) as app:
            failure = log_in(state, app, provider)
    if failure is None:
        return 0
    print(failure)
    # Its own words for it.
    said = [line.split("] ", 4)[-1] for line in (app.folder / "errors").read_text(errors="replace").splitlines()
            if ":error]" in line]
    print("\n".join(line[:300] for line in said[-4:]))
    return 1
