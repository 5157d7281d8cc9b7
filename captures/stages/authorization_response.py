"""Stage 6. Authorization response."""

from parts import APP, BACKEND, FAILED, ID, Login, METADATA, NATIVE, capture, form, jwt, logout, web

PAGE = '<!doctype html><title>Sign in</title><form method="post" action="/sign-in"><input name="user"></form>'


def answered(login, answer, seconds=8):
    """The sign-in page, and the redirect to an address of one's own choice."""
    c = login.c
    c.get(login.request, 200, body=PAGE, sets=[f"harbour={login.session}; Path=/; Secure"])
    c.wait(seconds)
    login.answer = answer
    c.post(ID + "/sign-in", 302, sent=form(user="alice", password="not-a-password"), location=answer, cookies={"harbour": login.session})


def finish(login, agent=BACKEND):
    login.token(agent=agent)
    login.keys(agent=agent)


def refused(c, error, description):
    """A login that the provider answers with an error; the app shows its page for it."""
    login = web(c)
    login.sign_in(error=error, error_description=description)
    login.callback(location=APP + "/signed-out", took=40)


def signed(login, **changed):
    """An answer as a signed token (JARM)."""
    now = login.c.seconds
    claims = {"iss": ID, "aud": login.client, "exp": now + 300, "code": login.code, "state": login.state, **changed}
    return login.redirect + "?" + form(response=jwt(claims))


def announcing(c):
    c.get(ID + "/.well-known/openid-configuration", agent=BACKEND, body={**METADATA, "authorization_response_iss_parameter_supported": True})
    return web(c)


@capture("authorization-response/user-cancelled")
def _(c):
    """The user presses cancel at the provider, and the app shows its signed-out page."""
    refused(c, "access_denied", "The user declined")


@capture("authorization-response/user-cancelled.near-miss")
def _(c):
    """The same error, with a text that names a rule of the provider."""
    refused(c, "access_denied", "You do not have permission to use this app")


@capture("authorization-response/login-abandoned")
def _(c):
    """The sign-in page is opened, a wrong password is tried, and then nothing comes any more."""
    login = web(c)
    c.get(login.request, 200, body=PAGE, sets=[f"harbour={login.session}; Path=/; Secure"])
    c.wait(9)
    c.post(ID + "/sign-in", 200, sent=form(user="alice", password="not-the-password"), cookies={"harbour": login.session},
           body=PAGE.replace("<form", "<p>Wrong name or password</p><form"))


@capture("authorization-response/login-abandoned.near-miss")
def _(c):
    """The sign-in page stays open for ten minutes; then the user signs in."""
    login = web(c)
    login.sign_in(seconds=600)
    login.callback()
    finish(login)


@capture("authorization-response/access-denied-by-policy")
def _(c):
    """The user may not use this app: the provider says that nobody assigned it to them."""
    refused(c, "access_denied", "User is not assigned to the client application.")


@capture("authorization-response/access-denied-by-policy.near-miss")
def _(c):
    """The plain error: it was the user who said no."""
    refused(c, "access_denied", "The resource owner denied the request")


@capture("authorization-response/state-mismatch")
def _(c):
    """The state comes back cut off after sixteen characters; the app refuses it."""
    login = web(c)
    login.sign_in(state=login.state[:16])
    login.callback(403, FAILED, took=40)


@capture("authorization-response/state-mismatch.near-miss")
def _(c):
    """Two tabs: the answer to the first login comes after the second began, with its own state."""
    first, second = web(c, name="first"), web(c, name="second")
    second.sign_in()
    second.callback()
    second.token()
    first.sign_in()
    first.callback()
    first.token()


@capture("authorization-response/state-missing-in-response")
def _(c):
    """The provider answers with the code alone; the app refuses it for want of its state."""
    login = web(c)
    answered(login, login.redirect + "?" + form(code=login.code))
    login.callback(403, FAILED, took=40)


@capture("authorization-response/state-missing-in-response.near-miss")
def _(c):
    """No state beside the answer either, but in it: it is a signed token."""
    login = Login(c)
    login.query = {"response_mode": "query.jwt"}
    login.start()
    answered(login, signed(login))
    login.callback()
    finish(login)


@capture("authorization-response/issuer-param-mismatch")
def _(c):
    """The answer names the issuer with a slash at the end, the metadata without; the app refuses it."""
    login = announcing(c)
    login.sign_in(code=login.code, iss=ID + "/")
    login.callback(403, FAILED, took=40)


@capture("authorization-response/issuer-param-mismatch.near-miss")
def _(c):
    """The answer names the issuer as the metadata does."""
    login = announcing(c)
    login.sign_in(code=login.code, iss=ID)
    login.callback()
    finish(login)


@capture("authorization-response/issuer-param-missing")
def _(c):
    """The metadata announces that answers name their issuer; this one does not, and the app refuses it."""
    login = announcing(c)
    login.sign_in()
    login.callback(403, FAILED, took=40)


@capture("authorization-response/issuer-param-missing.near-miss")
def _(c):
    """The announced issuer stands in the signed answer, not beside it."""
    login = Login(c)
    login.query = {"response_mode": "query.jwt"}
    c.get(ID + "/.well-known/openid-configuration", agent=BACKEND, body={**METADATA, "authorization_response_iss_parameter_supported": True})
    login.start()
    answered(login, signed(login))
    login.callback()
    finish(login)


@capture("authorization-response/response-mode-differs")
def _(c):
    """The app asks for a form to be posted and gets the answer in the query, which its callback does not take."""
    login = Login(c)
    login.query = {"response_mode": "form_post"}
    login.start("Path=/; Secure; HttpOnly; SameSite=None")
    login.sign_in()
    login.callback(405, FAILED, took=40)


@capture("authorization-response/response-mode-differs.near-miss")
def _(c):
    """The app asks for the query by name, and gets the answer there."""
    login = Login(c)
    login.query = {"response_mode": "query"}
    login.start()
    login.sign_in()
    login.callback()
    finish(login)


@capture("authorization-response/redirect-target-differs")
def _(c):
    """The app asks for example.shop.app:/oauth2redirect and is answered at example.shop.app://oauth2redirect."""
    login = Login(c, client="shop-app", redirect="example.shop.app:/oauth2redirect")
    answered(login, "example.shop.app://oauth2redirect?" + form(code=login.code, state=login.state))


@capture("authorization-response/redirect-target-differs.near-miss")
def _(c):
    """The redirect URI has a query of its own, to which the provider adds its answer."""
    login = web(c, redirect=APP + "/callback?tenant=7")
    answered(login, login.redirect + "&" + form(code=login.code, state=login.state))
    login.callback()
    finish(login)


@capture("authorization-response/jarm-invalid")
def _(c):
    """The signed answer is made out to another client; the app refuses it."""
    login = Login(c)
    login.query = {"response_mode": "query.jwt"}
    login.start()
    answered(login, signed(login, aud="shop-mobile"))
    login.callback(403, FAILED, took=40)
    login.keys()


@capture("authorization-response/jarm-invalid.near-miss")
def _(c):
    """The signed answer is made out to two clients, of which this is one."""
    login = Login(c)
    login.query = {"response_mode": "query.jwt"}
    login.discover()
    login.start()
    answered(login, signed(login, aud=["shop-mobile", login.client]))
    login.callback()
    finish(login)


@capture("authorization-response/code-missing")
def _(c):
    """The provider redirects to the app without any parameter."""
    login = web(c)
    answered(login, login.redirect)
    c.get(login.answer, 400, body=FAILED, cookies={"shop_login": login.cookie})


@capture("authorization-response/code-missing.near-miss")
def _(c):
    """The address without any parameter is the way back from signing out."""
    login = web(c)
    login.sign_in()
    login.callback()
    finish(login)
    c.wait(60)
    out = logout(login).replace("goodbye", "callback").split("&state=")[0]
    c.get(out, 302, location=login.redirect, cookies={"harbour": login.session})


@capture("authorization-response/provider-server-error")
def _(c):
    """The token endpoint fails, and the app does not try again."""
    login = web(c)
    login.sign_in()
    login.callback(500, FAILED)
    login.token(503, "<html><title>503 Service Unavailable</title></html>")
    c.entries[-1]["response"]["headers"].append({"name": "X-Request-Id", "value": "7f9c0b52"})


@capture("authorization-response/provider-server-error.near-miss")
def _(c):
    """The token endpoint fails once; the second try goes through."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.token(503, "<html><title>503 Service Unavailable</title></html>")
    finish(login)
    login.home()


@capture("authorization-response/authorization-error")
def _(c):
    """The provider refuses the request for a reason that only its text tells."""
    refused(c, "invalid_request", "The parameter claims_locales is too long")


@capture("authorization-response/authorization-error.near-miss")
def _(c):
    """The error is the user's own no, which has a name."""
    refused(c, "access_denied", "The user declined")
