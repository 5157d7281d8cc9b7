"""Stage 5. User agent."""

from parts import APP, BROWSER, FAILED, ID, Login, NATIVE, capture, form, web

WEB_VIEW = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148"
IN_APP_TAB = WEB_VIEW.replace("Mobile/15E148", "Version/18.3 Mobile/15E148 Safari/604.1")
SIGN_IN = '<!doctype html><title>Sign in</title><form method="post" action="/sign-in"><input name="user"></form>'


def native(c, agent, name="login", client="shop-app", redirect="example.shop.app:/oauth2redirect"):
    """A login of an app whose browser is the one given."""
    first = len(c.entries)
    login = Login(c, name=name, client=client, redirect=redirect)
    login.sign_in()
    seen_by(c, agent, first)
    login.token(agent=NATIVE)
    login.keys(agent=NATIVE)
    return login


def seen_by(c, agent, first=0):
    """What the browser sent is sent by another one."""
    for entry in c.entries[first:]:
        for header in entry["request"]["headers"]:
            if header["value"] == BROWSER:
                header["value"] = agent


def post_back(login, status, cookies=True):
    """The sign-in page, and a page that posts the answer to the app."""
    c = login.c
    c.get(login.request, 200, body=SIGN_IN, sets=[f"harbour={login.session}; Path=/; Secure"])
    c.wait(8)
    fields = {"code": login.code, "state": login.state}
    inputs = "".join(f'<input type="hidden" name="{name}" value="{value}">' for name, value in fields.items())
    page = f'<!doctype html><title>Continue</title><form method="post" action="{login.redirect}">{inputs}</form>'
    c.post(ID + "/sign-in", 200, sent=form(user="alice", password="not-a-password"), body=page, cookies={"harbour": login.session})
    c.post(login.redirect, status, sent=form(**fields), headers=[("Origin", ID)], body=FAILED if status >= 400 else None,
           cookies={"shop_login": login.cookie} if cookies else None, location=login.landing if status < 400 else None)


def finish(login):
    login.token()
    login.keys()
    login.home()


@capture("user-agent/embedded-user-agent")
def _(c):
    """A native app shows the sign-in page in a web view of its own; the login goes through."""
    native(c, WEB_VIEW)


@capture("user-agent/embedded-user-agent.near-miss")
def _(c):
    """A native app shows the sign-in page in a tab of the system browser, which is Safari by its user agent."""
    native(c, IN_APP_TAB)


@capture("user-agent/cookie-samesite-form-post")
def _(c):
    """The provider's page posts the answer to the app; the login cookie is Lax and stays behind, and the app refuses."""
    login = Login(c)
    login.query = {"response_mode": "form_post"}
    login.start("Path=/; Secure; HttpOnly; SameSite=Lax")
    post_back(login, 400, cookies=False)


@capture("user-agent/cookie-samesite-form-post.near-miss")
def _(c):
    """The Lax cookie stays behind here too, but the app finds the login by its state and accepts the answer."""
    login = Login(c)
    login.query = {"response_mode": "form_post"}
    login.start("Path=/; Secure; HttpOnly; SameSite=Lax")
    post_back(login, 302, cookies=False)
    finish(login)


@capture("user-agent/cookie-samesite-strict")
def _(c):
    """The login cookie is Strict: the browser holds it back on the way from the provider, and the app refuses."""
    login = Login(c)
    login.start("Path=/; Secure; HttpOnly; SameSite=Strict")
    login.sign_in()
    login.callback(403, FAILED, cookies=False, took=40)


@capture("user-agent/cookie-samesite-strict.near-miss")
def _(c):
    """The Strict cookie is held back, but the app finds the login by its state and accepts the answer."""
    login = Login(c)
    login.start("Path=/; Secure; HttpOnly; SameSite=Strict")
    login.sign_in()
    login.callback(cookies=False)
    finish(login)


@capture("user-agent/cookie-samesite-none-insecure")
def _(c):
    """The login cookie asks for SameSite=None without Secure: the browser drops it, and the app refuses the answer."""
    login = Login(c)
    login.start("Path=/; HttpOnly; SameSite=None")
    login.sign_in()
    login.callback(400, FAILED, cookies=False, took=40)


@capture("user-agent/cookie-samesite-none-insecure.near-miss")
def _(c):
    """SameSite=None without Secure as well, but this browser takes the cookie and brings it back."""
    login = Login(c)
    login.start("Path=/; HttpOnly; SameSite=None")
    login.sign_in()
    login.callback()
    finish(login)


@capture("user-agent/cookie-secure-over-http")
def _(c):
    """The login begins on plain http, where the browser does not take a Secure cookie; the callback comes without it."""
    login = Login(c)
    c.get(APP.replace("https", "http") + "/login", 302, location=login.request, sets=[f"shop_login={login.cookie}; Path=/; Secure; HttpOnly"])
    login.sign_in()
    login.callback(400, FAILED, cookies=False, took=40)


@capture("user-agent/cookie-secure-over-http.near-miss")
def _(c):
    """The login begins on plain http with a cookie that is not Secure, and comes back with it."""
    login = Login(c)
    c.get(APP.replace("https", "http") + "/login", 302, location=login.request, sets=[f"shop_login={login.cookie}; Path=/; HttpOnly"])
    login.sign_in()
    login.callback()
    finish(login)


@capture("user-agent/cookie-host-mismatch")
def _(c):
    """The login begins at shop.example and comes back to www.shop.example, for which its cookie is not."""
    login = Login(c)
    c.get("https://shop.example/login", 302, location=login.request, sets=[f"shop_login={login.cookie}; Path=/; Secure; HttpOnly; SameSite=Lax"])
    login.sign_in()
    login.callback(400, FAILED, cookies=False, took=40)


@capture("user-agent/cookie-host-mismatch.near-miss")
def _(c):
    """The login begins at shop.example with a cookie for the whole domain, and comes back to www.shop.example with it."""
    login = Login(c)
    c.get("https://shop.example/login", 302, location=login.request,
          sets=[f"shop_login={login.cookie}; Domain=shop.example; Path=/; Secure; HttpOnly; SameSite=Lax"])
    login.sign_in()
    login.callback()
    finish(login)


@capture("user-agent/cookie-path-mismatch")
def _(c):
    """The login cookie is for /login only; the callback does not lie there and comes without it."""
    login = Login(c)
    login.start("Path=/login; Secure; HttpOnly; SameSite=Lax")
    login.sign_in()
    login.callback(400, FAILED, cookies=False, took=40)


@capture("user-agent/cookie-path-mismatch.near-miss")
def _(c):
    """The login cookie is for /callback only, which is where it is needed."""
    login = Login(c)
    login.start("Path=/callback; Secure; HttpOnly; SameSite=Lax")
    login.sign_in()
    login.callback()
    finish(login)


@capture("user-agent/state-cookie-lost")
def _(c):
    """The app's login cookie lives for a minute, the user takes three: the callback comes without it and is refused."""
    login = Login(c)
    login.start("Path=/; Max-Age=60; Secure; HttpOnly; SameSite=Lax")
    login.sign_in(seconds=180)
    login.callback(400, FAILED, cookies=False, took=40)


@capture("user-agent/state-cookie-lost.near-miss")
def _(c):
    """The login cookie does not come back either, but the app knows the login by its state and accepts the answer."""
    login = Login(c)
    login.start("Path=/; Max-Age=60; Secure; HttpOnly; SameSite=Lax")
    login.sign_in(seconds=180)
    login.callback(cookies=False)
    finish(login)


def piled_up(login, count):
    """The callback with the cookies of logins that were never finished."""
    cookies = {f"shop_nonce.{login.c.value(f'nonce {index}', 16)}": login.c.value(f"value {index}", 80) for index in range(count)}
    return {**cookies, "shop_login": login.cookie}


@capture("user-agent/cookies-too-large")
def _(c):
    """The cookies of ninety unfinished logins make the callback's header too long for the server."""
    login = web(c)
    login.sign_in()
    c.get(login.answer, 400, body="<html><title>400 Request Header Or Cookie Too Large</title></html>", cookies=piled_up(login, 90))


@capture("user-agent/cookies-too-large.near-miss")
def _(c):
    """The callback carries the cookies of ninety unfinished logins, and this server takes them."""
    login = web(c)
    login.sign_in()
    c.get(login.answer, 302, location="/", cookies=piled_up(login, 90))
    finish(login)


def start_at_home(c, name):
    """The app's page sends the browser to the provider."""
    login = Login(c, name=name)
    login.answer = login.redirect + "?" + form(code=login.code, state=login.state)
    c.get(APP + "/", 302, location=login.request, sets=[f"shop_login={login.cookie}; Path=/; Secure; HttpOnly; SameSite=Lax"])
    return login


def circle(c):
    """Two rounds: the callback leads to the app's page again."""
    first = start_at_home(c, "first")
    first.sign_in()
    first.callback(took=40)
    second = start_at_home(c, "second")
    c.get(second.request, 302, location=second.answer, cookies={"harbour": first.session})
    second.callback(took=40)
    return second


@capture("user-agent/redirect-loop")
def _(c):
    """The app's page does not know the session its callback made and starts over, until the browser gives up."""
    circle(c)
    third = start_at_home(c, "third")
    c.get(third.request, 0, error="net::ERR_TOO_MANY_REDIRECTS")


@capture("user-agent/redirect-loop.near-miss")
def _(c):
    """The app starts over once, then it keeps the session."""
    circle(c).home()


@capture("user-agent/proxy-scheme-downgrade")
def _(c):
    """The app is reached over https and builds an http redirect URI, which the provider does not know."""
    login = Login(c, redirect=APP.replace("https", "http") + "/callback")
    login.start()
    c.get(login.request, 400, body="<!doctype html><title>Error</title>Invalid parameter: redirect_uri")


@capture("user-agent/proxy-scheme-downgrade.near-miss")
def _(c):
    """The app is reached over plain http, so that its redirect URI is what it seems; the provider does not know it."""
    login = Login(c, redirect=APP.replace("https", "http") + "/callback")
    c.get(APP.replace("https", "http") + "/login", 302, location=login.request, sets=[f"shop_login={login.cookie}; Path=/; HttpOnly"])
    c.get(login.request, 400, body="<!doctype html><title>Error</title>Invalid parameter: redirect_uri")


@capture("user-agent/callback-unreachable")
def _(c):
    """The app builds its redirect URI from a name that only its own network knows; the browser does not find it."""
    login = Login(c, redirect="https://shop-7f9c.internal.example/callback")
    login.start()
    login.sign_in()
    c.get(login.answer, 0, error="net::ERR_NAME_NOT_RESOLVED")


@capture("user-agent/callback-unreachable.near-miss")
def _(c):
    """The system hands the https redirect to the app, so that the browser gives the request up; the app redeems the code."""
    login = Login(c, client="shop-app", redirect="https://app.shop.example/callback")
    login.sign_in()
    c.get(login.answer, 0, error="net::ERR_ABORTED")
    login.token(agent=NATIVE)
    login.keys(agent=NATIVE)


@capture("user-agent/callback-rejected-by-app")
def _(c):
    """The app fails at its own callback, though answer, state and cookie are in order."""
    login = web(c)
    login.sign_in()
    login.callback(500, "<!doctype html><title>Shop</title>Something went wrong. Reference 7f9c", took=40)


@capture("user-agent/callback-rejected-by-app.near-miss")
def _(c):
    """The callback fails because the token endpoint refused the code, which says more."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    login.token(400, {"error": "invalid_grant", "error_description": "The code has run out"})


@capture("user-agent/provider-session-cookie-missing")
def _(c):
    """The sign-in form is sent without the cookie that its page had set; the provider does not know the sign-in any more."""
    login = web(c)
    c.get(login.request, 200, body=SIGN_IN, sets=[f"harbour={login.session}; Path=/; Secure; HttpOnly"])
    c.wait(9)
    c.post(ID + "/sign-in", 400, sent=form(user="alice", password="not-a-password"),
           body="<!doctype html><title>Error</title>Cookie not found. Please make sure cookies are enabled in your browser.")
    c.get(APP + "/", body="<!doctype html><title>Shop</title>", cookies={"shop_login": login.cookie})


@capture("user-agent/provider-session-cookie-missing.near-miss")
def _(c):
    """The sign-in form is sent with its cookie, and refused for the wrong password; the second try goes through."""
    login = web(c)
    c.get(login.request, 200, body=SIGN_IN, sets=[f"harbour={login.session}; Path=/; Secure; HttpOnly"])
    c.wait(9)
    c.post(ID + "/sign-in", 400, sent=form(user="alice", password="not-the-password"), body=SIGN_IN, cookies={"harbour": login.session})
    c.wait(7)
    login.answer = login.redirect + "?" + form(code=login.code, state=login.state)
    c.post(ID + "/sign-in", 302, sent=form(user="alice", password="not-a-password"), location=login.answer, cookies={"harbour": login.session})
    login.callback()
    finish(login)


def signed_in(c, name="login", redirect=APP + "/callback", lasting=""):
    """A login whose sign-in sets the provider's session cookie."""
    login = Login(c, name=name, redirect=redirect)
    login.start()
    c.get(login.request, 200, body=SIGN_IN)
    c.wait(9)
    login.answer = login.redirect + "?" + form(code=login.code, state=login.state)
    c.post(ID + "/sign-in", 302, sent=form(user="alice", password="not-a-password"), location=login.answer,
           sets=[f"harbour_session={login.session}; Path=/; Secure; HttpOnly; SameSite=None{lasting}"])
    return login


def in_a_frame(c, first, cookies, **answer):
    """The app asks once more, in a hidden frame, without wanting anybody to be asked."""
    c.wait(900)
    login = Login(c, name="frame", redirect=APP + "/silent")
    login.query = {"prompt": "none"}
    fields = answer or {"code": login.code}
    login.answer = login.redirect + "?" + form(**fields, state=login.state)
    c.get(login.request, 302, location=login.answer, cookies=cookies, headers=[("Sec-Fetch-Dest", "iframe"), ("Sec-Fetch-Site", "cross-site")])
    c.get(login.answer, 200, body="<!doctype html><title>Shop</title>", cookies={"shop_session": first.session})
    return login


@capture("user-agent/silent-login-cookies-blocked")
def _(c):
    """A quarter of an hour after the sign-in the app renews it in a hidden frame, into which the provider's cookies are not sent."""
    first = signed_in(c)
    first.callback()
    first.token()
    in_a_frame(c, first, None, error="login_required")


@capture("user-agent/silent-login-cookies-blocked.near-miss")
def _(c):
    """The cookie comes with the frame's request, and the provider answers with a code."""
    first = signed_in(c)
    first.callback()
    first.token()
    in_a_frame(c, first, {"harbour_session": first.session}).token()


def second_app(c, lasting):
    """Two apps of one house, each with a tab of the system browser, at one provider."""
    first = Login(c, name="first", client="shop-app", redirect="example.shop.app:/oauth2redirect")
    c.get(first.request, 200, body=SIGN_IN, sets=[f"node=01; Path=/; Secure"])
    c.wait(9)
    c.post(ID + "/sign-in", 302, sent=form(user="alice", password="not-a-password"), cookies={"node": "01"},
           location=first.redirect + "?" + form(code=first.code, state=first.state),
           sets=[f"harbour_session={first.session}; Path=/; Secure; HttpOnly{lasting}"])
    seen_by(c, IN_APP_TAB)
    first.token(agent=NATIVE)
    first.keys(agent=NATIVE)
    c.wait(40)
    second = Login(c, name="second", client="bank-app", redirect="example.bank.app:/oauth2redirect")
    return first, second


@capture("user-agent/session-cookie-not-persistent")
def _(c):
    """The second app's tab does not see the session cookie of the first one's sign-in: the password is asked for again."""
    _, second = second_app(c, "")
    start = len(c.entries)
    second.sign_in()
    seen_by(c, IN_APP_TAB, start)
    second.token(agent=NATIVE)
    second.keys(agent=NATIVE)


@capture("user-agent/session-cookie-not-persistent.near-miss")
def _(c):
    """The session cookie lasts for half a day; the second app's tab brings it, and nobody is asked."""
    first, second = second_app(c, "; Max-Age=43200")
    start = len(c.entries)
    c.get(second.request, 302, location=second.redirect + "?" + form(code=second.code, state=second.state),
          cookies={"harbour_session": first.session})
    seen_by(c, IN_APP_TAB, start)
    second.token(agent=NATIVE)
    second.keys(agent=NATIVE)
