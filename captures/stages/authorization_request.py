"""Stage 4. Authorization request."""

from parts import APP, Login, capture, form, registered, web


@capture("authorization-request/redirect-uri-not-registered")
def _(c):
    """The redirect URI has a slash at its end that is not registered; the provider stops on a page of its own."""
    Login(c, "yesterday").sign_in()
    c.wait(3600)
    login = web(c, redirect=APP + "/callback/")
    c.get(login.request, 400, body="<!doctype html><title>Error</title><p>Invalid parameter: redirect_uri</p>")


@capture("authorization-request/redirect-uri-not-registered.near-miss")
def _(c):
    """The provider refuses the request at the redirect URI, and the app's own error page talks of the redirect URI."""
    login = web(c)
    c.get(login.request, 302, location=login.redirect + "?" + form(error="invalid_request", state=login.state))
    c.get(login.redirect + "?" + form(error="invalid_request", state=login.state), 400, cookies={"shop_login": login.cookie},
          body="<!doctype html><title>Shop</title><p>Invalid parameter: redirect_uri? Ask your administrator.</p>")
