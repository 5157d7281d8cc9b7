"""Stage 11. Refresh."""

from parts import BACKEND, ID, REFUSED, capture, form, jwt, refresh, web


def signed_in(c, **answer):
    """A login with its tokens; `answer` goes into the token answer."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.id_token = jwt(login.claims())
    login.token(body={"access_token": login.access, "token_type": "Bearer", "expires_in": 600, "refresh_token": login.refresh_token,
                      "scope": "openid profile", "id_token": login.id_token, **answer})
    login.keys()
    return login


def again(login, token, status=400, body=REFUSED, **changed):
    """A refresh with a token of one's choice."""
    fields = {"grant_type": "refresh_token", "refresh_token": token, "client_id": login.client, "client_secret": login.secret, **changed}
    login.c.post(ID + "/token", status, agent=BACKEND, sent=form(**fields), body=body)


def tokens(login, name):
    return {"access_token": login.c.value(f"{name} access", 40), "token_type": "Bearer", "expires_in": 600, "scope": "openid profile",
            "refresh_token": login.c.value(f"{name} refresh", 40)}


@capture("refresh/refresh-token-reused")
def _(c):
    """Two workers refresh with the same token at the same time; the provider has replaced it when the second request arrives."""
    login = signed_in(c)
    c.wait(590)
    refresh(login)
    c.wait(-0.045)
    again(login, login.refresh_token)


@capture("refresh/refresh-token-reused.near-miss")
def _(c):
    """The same token is sent twice; the provider allows it for a while after the rotation and answers both."""
    login = signed_in(c)
    c.wait(590)
    refresh(login)
    c.wait(-0.045)
    again(login, login.refresh_token, 200, tokens(login, "third"))


@capture("refresh/refresh-token-expired")
def _(c):
    """The provider said that the refresh token is good for half an hour, and the app refreshes after forty minutes."""
    login = signed_in(c, refresh_expires_in=1800)
    c.wait(2400)
    again(login, login.refresh_token)


@capture("refresh/refresh-token-expired.near-miss")
def _(c):
    """A refresh well within its time is refused, with the sentence of the specification that names every reason at once."""
    login = signed_in(c, refresh_expires_in=1800)
    c.wait(600)
    again(login, login.refresh_token, body={"error": "invalid_grant", "error_description": "The provided authorization grant or refresh token is "
          "invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client."})


@capture("refresh/refresh-scope-widened")
def _(c):
    """The refresh asks for the orders as well, for which nobody was ever asked."""
    login = signed_in(c)
    c.wait(590)
    again(login, login.refresh_token, body={"error": "invalid_scope"}, scope="openid profile orders")


@capture("refresh/refresh-scope-widened.near-miss")
def _(c):
    """The refresh asks for less than was granted."""
    login = signed_in(c)
    c.wait(590)
    refresh(login, scope="openid")


@capture("refresh/refresh-wrong-client")
def _(c):
    """The web client signs the user in, a job of the back end refreshes under a client of its own."""
    login = signed_in(c)
    c.wait(590)
    again(login, login.refresh_token, client_id="shop-jobs")


@capture("refresh/refresh-wrong-client.near-miss")
def _(c):
    """A second client of the same family refreshes, and the provider lets it."""
    login = signed_in(c)
    c.wait(590)
    again(login, login.refresh_token, 200, tokens(login, "second"), client_id="shop-jobs")


@capture("refresh/refresh-subject-changed")
def _(c):
    """Alice signed in, and the refresh brings an ID token of Bob."""
    login = signed_in(c)
    c.wait(590)
    refresh(login, sub="bob")


@capture("refresh/refresh-subject-changed.near-miss")
def _(c):
    """The refreshed ID token is newer and has no nonce any more; issuer, subject and audience are those of the login."""
    login = signed_in(c)
    c.wait(590)
    refresh(login, aud=["shop-web", "shop-api"], azp="shop-web")
