"""Logins that go well and logins that are broken in one way, between the real components, each with what it has to show."""
import base64
import contextlib
import json
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.parse

import authority
import browser
import native_app
import provider
import relying_party

LIMIT = 50  # seconds, for the whole of a scenario

POST = {"token_endpoint_auth_method": ["client_secret_post"]}
PUBLIC = {"confidential": False, "client_secret": None, "token_endpoint_auth_method": ["none"]}
IMPLICIT = {"authorization_type": ["code", "id_token", "refresh_token", "delete_token"]}
INFO = "OIDCInfoHook access_token userinfo"
UNKNOWN_KEY = "could not find key with kid"


class Stage:
    """What a scenario works with; all that it starts ends with it."""

    def __init__(self, folder, ca, proxy, proxy_ca, ending):
        self.folder, self.ca, self.proxy, self.proxy_ca, self.ending = folder, ca, proxy, proxy_ca, ending

    def parties(self, client=None, plugin=None, granted=provider.Provider.SCOPES, trusted=None, **options):
        """Provider and relying party, which know each other."""
        idp = self.ending.enter_context(provider.Provider(self.folder, self.ca, client, plugin))
        app = self.ending.enter_context(relying_party.RelyingParty(
            self.folder, self.ca, idp, self.proxy, trusted or self.proxy_ca, **options))
        idp.register(app.redirect_uri, app.logged_out, granted)
        return idp, app

    def native_app(self, client=None, plugin=None):
        """A provider, and an app that it knows as a public client."""
        plugin = {"pkce-required-public-client": True, **(plugin or {})}
        idp = self.ending.enter_context(provider.Provider(self.folder, self.ca, {**PUBLIC, **(client or {})}, plugin))
        app = native_app.NativeApp(self.folder, idp, self.proxy, self.proxy_ca)
        idp.register(app.redirect_uri, app.SIGNED_OUT, [])
        return idp, app

    def browser(self, trusting=True):
        return browser.opened(self.folder, self.proxy, self.proxy_ca if trusting else None)


def expect(good, what):
    if not good:
        raise RuntimeError(f"expected {what}")


def path(url):
    return urllib.parse.urlsplit(url).path


def pages(user):
    """The answers to the browser that tell how a login went."""
    ends = ("/protected/", "/protected/callback", "/protected/elsewhere", "/api/oidc/auth", "/api/auth/")
    return [f"{status} {path(url)}" for status, url in user.answered("https://") if path(url) in ends]


def report(user, idp, **more):
    return {"issuer": idp.issuer, "client": idp.CLIENT, "answers": pages(user), **more}


# -- by browser and relying party

def go_in(user, idp, app, **how):
    """A login that ends at the protected page."""
    user.go(app.page)
    user.log_in(idp, "the protected page", lambda: user.has("#inside"), **how)


def session_info(user, app):
    """What the relying party tells about its session: the claims of the access token, those of userinfo, the token."""
    user.go(f"{app.redirect_uri}?info=json")
    seen = json.loads(user.text())
    payload = seen["access_token"].split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    return claims, seen.get("userinfo", {}), seen["access_token"]


def arrives(**settings):
    def run(stage):
        idp, app = stage.parties(**settings)
        with stage.browser() as user:
            go_in(user, idp, app)
            return report(user, idp, title=user.title())
    return run


def refused(pattern, at_login=None, **settings):
    """The relying party writes `pattern` to its log and shows an error instead of its page."""
    def run(stage):
        idp, app = stage.parties(**settings)
        with stage.browser() as user:
            user.go(app.page)
            return turned_away(user, idp, app, pattern, at_login=at_login and (lambda: at_login(user)))
    return run


def turned_away(user, idp, app, pattern, **how):
    what = f"{pattern!r} in the relying party's log"
    user.log_in(idp, what, lambda: app.logged(pattern) or user.has("#inside"), **how)
    browser.until("a page of the relying party", lambda: user.complete() and user.driver.address().startswith(app.origin))
    expect(not user.has("#inside"), f"{what} instead of the protected page")
    return report(user, idp, log=app.logged(pattern), page=user.text()[:200])


def lose_state(user):
    expect(user.forget("mod_auth_openidc_state_"), "a state cookie to delete")


def linger(seconds):
    return lambda user: time.sleep(seconds)


def login(refreshing):
    """The user consents, and logs out at the end; the relying party refreshes its tokens in between if told to."""
    def run(stage):
        idp, app = stage.parties(granted=[], directives=[INFO])
        with stage.browser() as user:
            go_in(user, idp, app, scopes=idp.SCOPES)
            _, claims, token = session_info(user, app)
            expect(claims.get("email"), "an e-mail address in the session")
            if refreshing:
                refresh(user, app, token)
            return report(user, idp, after_logout=browser.log_out(user, app, idp))
    return run


def refresh(user, app, token):
    user.go(f"{app.redirect_uri}?{urllib.parse.urlencode({'refresh': app.page, 'access_token': token})}")
    expect(user.has("#inside"), "the page after the refresh")
    expect(session_info(user, app)[2] != token, "another access token after the refresh")


def key_changes(published):
    """Two logins, each in a browser of its own; the provider changes its key between them."""
    def run(stage):
        idp, app = stage.parties()
        with stage.browser() as user:
            go_in(user, idp, app)
        idp.change_key(published)
        with stage.browser() as user:
            if published:
                go_in(user, idp, app)
                return report(user, idp, title=user.title())
            user.go(app.page)
            return turned_away(user, idp, app, UNKNOWN_KEY)
    return run


def redirect_uri(stage):
    idp, app = stage.parties(directives=["OIDCRedirectURI {app.origin}/protected/elsewhere"])
    with stage.browser() as user:
        user.go(app.page)
        user.log_in(idp, "the refusal", lambda: user.answered(f"{idp.issuer}/auth", 403))
        expect(not user.answered(f"{app.origin}/protected/elsewhere"), "no answer to the unknown address")
        return report(user, idp)


def pkce_not_sent(stage):
    # With `iss` in an error the relying party takes it for a login that began elsewhere.
    idp, app = stage.parties(plugin={"pkce-required": True, "oauth-as-iss-id": False}, pkce=False)
    with stage.browser() as user:
        user.go(app.page)
        refusal = "Provider error: invalid_request"
        user.log_in(idp, f"{refusal!r} on a page", lambda: refusal in user.text())
        return report(user, idp, page=user.text()[:200])


def scope(stage):
    idp, app = stage.parties(directives=['OIDCScope "openid payroll"', INFO])
    with stage.browser() as user:
        go_in(user, idp, app)
        claims, _, _ = session_info(user, app)
        expect(claims["scope"] == "openid", f"the scope to be dropped, but the token is for {claims['scope']}")
        return report(user, idp, scope=claims["scope"])


def consent_partial(stage):
    idp, app = stage.parties(granted=[], directives=[INFO])
    with stage.browser() as user:
        go_in(user, idp, app, scopes=["openid", "profile"])
        claims, info, _ = session_info(user, app)
        expect("name" in info and "email" not in info, f"a name and no e-mail address among {sorted(info)}")
        return report(user, idp, scope=claims["scope"], claims=sorted(info))


def password(stage):
    idp, app = stage.parties()
    with stage.browser() as user:
        user.go(app.page)
        refusal = lambda: user.answered(f"{idp.origin}/api/auth/", 401)
        user.log_in(idp, "the refusal", refusal, password="not-the-password")
        expect(user.has(user.LOGIN_PAGE), "the login page again")
        return report(user, idp)


def browser_trust(stage):
    idp, app = stage.parties()
    with stage.browser(trusting=False) as user:
        user.go(app.page)
        refusal = "net::ERR_CERT_AUTHORITY_INVALID"
        browser.until("the browser's refusal", lambda: refusal in user.failed())
        return report(user, idp, failure=refusal)


def no_metadata(stage, idp, app, reason):
    """The relying party cannot read the provider's metadata, for the `reason` in its log."""
    with stage.browser() as user:
        user.go(app.page)
        expect(user.answered(app.page, 500), "status 500 at the protected page")
        expect(app.logged(reason), f"{reason!r} in the relying party's log")
        return report(user, idp, log=app.logged(reason))


def rp_trust(stage):
    return no_metadata(stage, *stage.parties(trusted=stage.ca.certificate), "curl_easy_perform.* certificate")


def provider_down(stage):
    idp, app = stage.parties()
    idp.service.stop()
    return no_metadata(stage, idp, app, "curl_easy_perform.* failed")


def state_cookie_silent(stage):
    idp, app = stage.parties(directives=["OIDCDefaultURL {app.page}"])
    with stage.browser() as user:
        go_in(user, idp, app, at_login=lambda: lose_state(user))
        rounds = len(user.answered(app.redirect_uri))
        expect(rounds == 2, f"two authorization responses, not {rounds}")
        return report(user, idp, title=user.title(), log=app.logged("invalid authorization response state"))


def callback_replayed(stage):
    idp, app = stage.parties()
    with stage.browser() as user:
        go_in(user, idp, app)
        _, callback = user.answered(app.redirect_uri)[0]
        user.go(callback)
        browser.until("the page again", lambda: len(user.answered(app.redirect_uri)) == 2 and user.has("#inside"))
        expect(app.logged("browser back detected"), "the relying party to know the callback")
        return report(user, idp, title=user.title(), log=app.logged("browser back detected"))


# -- by curl

def told(idp, app, **more):
    return {"issuer": idp.issuer, "client": app.client, "steps": app.steps, **more}


def native(stage):
    idp, app = stage.native_app()
    _, _, tokens = app.log_in()
    app.userinfo(tokens)
    tokens |= app.refresh(tokens).body
    app.userinfo(tokens)
    app.end_session(tokens)
    return told(idp, app)


def endpoints(stage):
    types = {"authorization_type": ["code", "refresh_token", "delete_token", "device_authorization"]}
    idp, app = stage.native_app(types, {
        "register-client-allowed": True, "register-client-auth-scope": [], "register-client-credentials-scope": [],
        "auth-type-device-enabled": True, "device-authorization-expiration": 600, "device-authorization-interval": 1,
        "oauth-par-allowed": True, "oauth-par-duration": 90,
        "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:"})
    app.discover()
    app.register("http://localhost:8400/signed-in")
    app.sign_in()
    device = app.begin_device()
    pending = app.poll_device(device, well=False)
    expect(pending.error == "authorization_pending", f"a pending answer, not {pending}")
    app.confirm_device(device)
    time.sleep(device["interval"] + 1)
    app.poll_device(device)
    verifier = native_app.random_text()
    tokens = app.redeem(app.authorize(app.push(app.request(verifier)))["code"], verifier).body
    expect(app.introspect(tokens), "an active token")
    app.revoke(tokens)
    expect(not app.introspect(tokens), "a revoked token")
    return told(idp, app)


def pkce_verifier(stage):
    idp, app = stage.native_app()
    code = app.get_code(native_app.random_text())
    app.redeem(code, native_app.random_text(), well=False)
    return told(idp, app)


def pkce_missing(stage):
    idp, app = stage.native_app()
    app.discover()
    app.sign_in()
    answer = app.authorize(app.request(None))
    expect("error" in answer and "code" not in answer, f"an error and no code in {answer}")
    return told(idp, app, error=answer["error"], description=answer.get("error_description"))


def code_reused(stage):
    idp, app = stage.native_app()
    code, verifier, tokens = app.log_in()
    app.redeem(code, verifier, well=False)
    app.userinfo(tokens, well=False)
    return told(idp, app)


def code_expired(stage):
    idp, app = stage.native_app(plugin={"code-duration": 2})
    verifier = native_app.random_text()
    code = app.get_code(verifier)
    time.sleep(4)
    app.redeem(code, verifier, well=False)
    return told(idp, app)


def token_expired(stage):
    idp, app = stage.native_app(plugin={"access-token-duration": 2})
    _, _, tokens = app.log_in()
    app.userinfo(tokens)
    time.sleep(4)
    app.userinfo(tokens, well=False)
    return told(idp, app)


def refresh_reused(stage):
    idp, app = stage.native_app(plugin={"refresh-token-one-use": "always"})
    _, _, tokens = app.log_in()
    app.refresh(tokens)
    app.refresh(tokens, well=False)
    return told(idp, app)


def provider_down_midway(stage):
    idp, app = stage.native_app()
    verifier = native_app.random_text()
    code = app.get_code(verifier)
    idp.service.stop()
    answer = app.redeem(code, verifier, well=False)
    expect(answer.status in (0, 502, 503, 504), f"no answer but the proxy's: {answer}")
    return told(idp, app)


SCENARIOS = {
    # good
    "login": ("consent, session info, logout", login(refreshing=False)),
    "login-refresh": ("the same with a refresh, for which the relying party wants a token in the URL", login(refreshing=True)),
    "login-form-post": ("secret in the body, answer by form", arrives(
        client=POST, plugin={"oauth-as-iss-id": False},
        directives=["OIDCProviderTokenEndpointAuth client_secret_post", "OIDCResponseMode form_post"])),
    "login-public": ("a public client", arrives(client=PUBLIC, directives=["OIDCProviderTokenEndpointAuth none"])),
    "login-implicit": ("an ID token in the fragment", arrives(
        client=IMPLICIT, plugin={"auth-type-id-token-enabled": True}, directives=["OIDCResponseType id_token"])),
    "login-hybrid": ("code and ID token in the fragment", arrives(
        client=IMPLICIT, plugin={"auth-type-id-token-enabled": True},
        directives=['OIDCResponseType "code id_token"', "OIDCResponseMode fragment"])),
    "native-app": ("by curl: userinfo, refresh, end of the session", native),
    "endpoints": ("by curl: registration, device, pushed request, introspection, revocation", endpoints),
    "key-rotated": ("the signing key changes between two logins", key_changes(published=True)),
    # broken
    "client-secret": ("the relying party has another secret", refused(
        "unauthorized_client|invalid_client", directives=["OIDCClientSecret another-secret"])),
    "redirect-uri": ("the redirect URI is not registered", redirect_uri),
    "pkce-verifier": ("by curl: the verifier is another one", pkce_verifier),
    "pkce-missing": ("by curl: no challenge where one is required", pkce_missing),
    "pkce-not-sent": ("the relying party sends no challenge where one is required", pkce_not_sent),
    "code-reused": ("by curl: the code is redeemed twice", code_reused),
    "code-expired": ("by curl: the code is redeemed after its end", code_expired),
    "token-expired": ("by curl: the access token is used after its end", token_expired),
    "refresh-reused": ("by curl: a refresh token for one use is used twice", refresh_reused),
    "scope": ("a scope that the provider does not know", scope),
    "consent-partial": ("the user ticks some of the scopes only", consent_partial),
    "password": ("the password is wrong", password),
    "clock-ahead": ("the relying party's clock is two hours ahead", refused("JWT expired", clock="+2h")),
    "clock-behind": ("the relying party's clock is two hours behind", refused("seconds in the future", clock="-2h")),
    "kid-unknown": ("the new signing key is not published", key_changes(published=False)),
    "rp-trust": ("the relying party does not trust the proxy", rp_trust),
    "browser-trust": ("the browser does not trust the proxy", browser_trust),
    "state-cookie": ("the state cookie is lost at the login page", refused("state cookie found", at_login=lose_state)),
    "state-cookie-silent": ("the same, and the relying party begins anew", state_cookie_silent),
    "state-expired": ("the login page is open for too long", refused(
        "state has expired", at_login=linger(4), directives=["OIDCStateTimeout 2"])),
    "form-post-iss": ("the provider spoils iss in the form", refused(
        "does not match the issuer provided", client=POST,
        directives=["OIDCProviderTokenEndpointAuth client_secret_post", "OIDCResponseMode form_post"])),
    "hybrid-query": ("code and ID token in the query", refused(
        "does not match the response mode", client=IMPLICIT, plugin={"auth-type-id-token-enabled": True},
        directives=['OIDCResponseType "code id_token"'])),
    "callback-replayed": ("the callback is loaded again", callback_replayed),
    "provider-down": ("no provider when the relying party reads its metadata", provider_down),
    "provider-down-midway": ("by curl: no provider between code and token request", provider_down_midway),
}


def perform(name, folder, begun, limit=LIMIT, afterwards=None):
    """Plays one scenario on the stage that `begun` makes of what is to end with it; what it showed.

    `afterwards` is run while all of it is still there; what it returns is part of what was shown.
    """
    def too_long(*_):
        raise RuntimeError(f"not done within {limit} s")
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(limit)
    try:
        with contextlib.ExitStack() as ending:
            try:
                seen = SCENARIOS[name][1](begun(ending))
            finally:
                signal.alarm(0)
            return {**seen, **(afterwards() if afterwards else {})}
    except Exception as failure:
        raise RuntimeError(f"{failure}; see {folder}{last_words(folder)}") from failure


def last_words(folder):
    """What the relying party complained about at the end."""
    log = folder / "relying-party" / "errors"
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return "".join("\n" + line for line in [line for line in lines if "[auth_openidc:error]" in line][-3:])


def follow(commands):
    """Runs commands after a scenario, one after the other: how each ended, and what it said."""
    done = [subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
            for command in commands]
    return {"then": [{"status": one.returncode, "output": one.stdout, "errors": one.stderr} for one in done]}


def play(name, state, proxy, proxy_ca, then=()):
    """Runs one scenario in a new folder below `state`, which stays where something went wrong; `then` commands, while
    provider and relying party are still there."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=state))
    begun = time.monotonic()
    seen = perform(name, folder, lambda ending: Stage(folder, authority.Authority(state), proxy, proxy_ca, ending),
                   afterwards=lambda: follow(then))
    shutil.rmtree(folder, ignore_errors=True)
    return {"scenario": name, "seconds": round(time.monotonic() - begun, 1), **seen}
