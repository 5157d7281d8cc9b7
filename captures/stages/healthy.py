"""Logins in good health."""

from parts import APP, ID, Login, METADATA, NATIVE, capture, logout, refresh, web


@capture("healthy/web-code-flow")
def _(c):
    """A web app signs a user in: code flow with PKCE, back channel recorded, UserInfo."""
    login = Login(c)
    login.discover()
    login.start()
    login.sign_in()
    login.callback()
    login.token()
    login.keys()
    login.userinfo()
    login.home()


@capture("healthy/native-app")
def _(c):
    """A native app signs a user in with PKCE, without a secret, and is called back by a private-use scheme."""
    login = Login(c, client="shop-app", redirect="example.shop.app:/oauth2redirect")
    c.get(ID + "/.well-known/openid-configuration", body=METADATA, agent=NATIVE)
    login.sign_in()
    login.token(agent=NATIVE)
    login.keys(agent=NATIVE)
    login.userinfo(agent=NATIVE)


@capture("healthy/refresh")
def _(c):
    """A web app signs a user in and refreshes its tokens with rotation ten minutes later."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.token()
    login.keys()
    c.wait(590)
    refresh(login)


@capture("healthy/logout")
def _(c):
    """A web app signs a user in, and out again at the provider with `id_token_hint`."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.token()
    login.keys()
    c.wait(60)
    c.get(APP + "/logout", 302, cookies={"shop_session": login.session}, location=logout(login))
    c.get(logout(login), 302, location=APP + "/goodbye?state=" + c.value("logout state"), cookies={"harbour": login.session})
