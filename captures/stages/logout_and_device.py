"""Stage 12. Logout and device flow."""

from parts import APP, BACKEND, ID, Login, capture, form, jwt

END = ID + "/end-session"
BYE = APP + "/goodbye"
TV = "shop-tv/1.4"
EVENT = {"http://schemas.openid.net/event/backchannel-logout": {}}
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


def signed_in(c, **rest):
    """A login, and a minute of shopping."""
    login = Login(c, **rest)
    login.discover()
    login.start()
    login.sign_in()
    login.callback()
    login.token()
    login.keys()
    c.wait(60)
    return login


def leave(login, url, status, sets=("shop_session=; Path=/; Max-Age=0",), **rest):
    """The app sends the browser to the provider's logout."""
    login.c.get(APP + "/logout", 302, cookies={"shop_session": login.session}, location=url, sets=sets)
    login.c.get(url, status, cookies={"harbour": login.session}, **rest)


def page(text):
    return f"<!doctype html><title>Harbour</title><p>{text}</p>"


@capture("logout-and-device/logout-hint-missing")
def _(c):
    """The logout request names an address to return to and nothing else; the provider refuses."""
    login = signed_in(c)
    leave(login, END + "?" + form(post_logout_redirect_uri=BYE), 400, body=page("Missing parameters: id_token_hint"))


@capture("logout-and-device/logout-hint-missing.near-miss")
def _(c):
    """The logout request has no hint either, but names the client, and the provider sends the user back."""
    login = signed_in(c)
    leave(login, END + "?" + form(post_logout_redirect_uri=BYE, client_id=login.client), 302, location=BYE)


@capture("logout-and-device/logout-hint-invalid")
def _(c):
    """The access token is sent as the logout hint."""
    login = signed_in(c)
    leave(login, END + "?" + form(id_token_hint=login.access, post_logout_redirect_uri=BYE), 400, body=page("The hint was not accepted"))


@capture("logout-and-device/logout-hint-invalid.near-miss")
def _(c):
    """The logout hint is an ID token that has run out long ago, as it may."""
    login = signed_in(c)
    c.wait(86400)
    leave(login, END + "?" + form(id_token_hint=login.id_token, post_logout_redirect_uri=BYE), 302, location=BYE)


def registered(c, *uris):
    login = Login(c, client="shop-" + c.value("client", 8))
    c.post(ID + "/register", 201, agent=BACKEND, sent='{"redirect_uris":["%s"]}' % login.redirect, sent_kind="application/json",
           body={"client_id": login.client, "client_secret": login.secret, "client_secret_expires_at": 0, "redirect_uris": [login.redirect],
                 "post_logout_redirect_uris": list(uris), "grant_types": ["authorization_code"], "token_endpoint_auth_method": "client_secret_post"})
    c.wait(60)
    login.start()
    login.sign_in()
    login.callback()
    login.token()
    login.keys()
    c.wait(60)
    return login


@capture("logout-and-device/logout-redirect-not-registered")
def _(c):
    """The address to return to is registered without the slash at its end."""
    login = registered(c, BYE)
    leave(login, END + "?" + form(id_token_hint=login.id_token, post_logout_redirect_uri=BYE + "/"), 400, body=page("Not allowed"))


@capture("logout-and-device/logout-redirect-not-registered.near-miss")
def _(c):
    """The address to return to is the second of those registered."""
    login = registered(c, APP + "/", BYE)
    leave(login, END + "?" + form(id_token_hint=login.id_token, post_logout_redirect_uri=BYE), 302, location=BYE)


@capture("logout-and-device/logout-parameter-wrong")
def _(c):
    """The address to return to is sent as `redirect_uri`, as the provider read it some versions ago."""
    login = signed_in(c)
    leave(login, END + "?" + form(id_token_hint=login.id_token, redirect_uri=BYE), 400, body=page("Invalid parameter"))


@capture("logout-and-device/logout-parameter-wrong.near-miss")
def _(c):
    """The address is sent under the old and the new name, and the provider takes the new one."""
    login = signed_in(c)
    leave(login, END + "?" + form(id_token_hint=login.id_token, redirect_uri=BYE, post_logout_redirect_uri=BYE), 302, location=BYE)


def local_logout(c):
    """A login, and a logout at the app alone."""
    login = Login(c)
    login.discover()
    login.start()
    login.sign_in()
    login.callback()
    login.token()
    c.wait(60)
    c.get(APP + "/logout", 302, cookies={"shop_session": login.session}, location="/", sets=["shop_session=; Path=/; Max-Age=0"])
    c.wait(20)


@capture("logout-and-device/logout-local-only")
def _(c):
    """The app deletes its cookie; the next login gets a code at once, for the provider's session goes on."""
    local_logout(c)
    login = Login(c, "second")
    login.start()
    login.answer = login.redirect + "?" + form(code=login.code, state=login.state)
    c.get(login.request, 302, location=login.answer, cookies={"harbour": login.session})
    login.callback()


@capture("logout-and-device/logout-local-only.near-miss")
def _(c):
    """The app deletes its cookie and no more; the provider's session has ended as well, and the next login asks for the password."""
    local_logout(c)
    login = Login(c, "second")
    login.sign_in()
    login.callback()


def told(c, status, **claims):
    """A login, and the provider's word that it is over."""
    login = signed_in(c)
    token = {"iss": ID, "aud": login.client, "sub": "alice", "iat": c.seconds, "exp": c.seconds + 120, "jti": c.value("jti"), "events": EVENT,
             **claims}
    token = jwt({name: value for name, value in token.items() if value is not None})
    c.post(APP + "/backchannel-logout", status, agent="harbour/7", sent=form(logout_token=token))


@capture("logout-and-device/logout-token-invalid")
def _(c):
    """The provider's logout token has no event in it, and the app refuses it."""
    told(c, 400, events=None)


@capture("logout-and-device/logout-token-invalid.near-miss")
def _(c):
    """The logout token has a session instead of a subject, and the app accepts it."""
    told(c, 200, sub=None, sid="08a5019c")


def device(c, **answer):
    code = c.value("device code", 40)
    c.post(ID + "/device_authorization", agent=TV, sent=form(client_id="shop-tv", scope="openid"),
           body={"device_code": code, "user_code": "WDJB-MJHT", "verification_uri": ID + "/device", "expires_in": 600, **answer})
    return code


def poll(c, code, gap, error=None):
    c.wait(gap - 0.06)
    c.post(ID + "/token", 400 if error else 200, agent=TV, sent=form(grant_type=DEVICE, device_code=code, client_id="shop-tv"),
           body={"error": error} if error else {"access_token": c.value("access", 40), "token_type": "Bearer", "expires_in": 600})


@capture("logout-and-device/device-polling-too-fast")
def _(c):
    """The device polls every second, where the provider asks for five, and is told to slow down."""
    code = device(c, interval=5)
    for error in ["authorization_pending", "authorization_pending", "slow_down", "slow_down"]:
        poll(c, code, 1, error)
    poll(c, code, 15)


@capture("logout-and-device/device-polling-too-fast.near-miss")
def _(c):
    """The device polls every five seconds, is told once to slow down, and waits for ten seconds from then on."""
    code = device(c)
    poll(c, code, 5, "authorization_pending")
    poll(c, code, 5, "slow_down")
    poll(c, code, 10, "authorization_pending")
    poll(c, code, 10)


@capture("logout-and-device/device-code-expired")
def _(c):
    """Nobody confirms the device within the ten minutes that its code is good for."""
    code = device(c, interval=5)
    poll(c, code, 5, "authorization_pending")
    poll(c, code, 598, "expired_token")


@capture("logout-and-device/device-code-expired.near-miss")
def _(c):
    """The device is refused after five seconds: the code is another one than it was given."""
    code = device(c, interval=5)
    poll(c, code, 5, "invalid_grant")
