"""Stage 9. ID token."""

import datetime
import hashlib
import json

from parts import BACKEND, FAILED, ID, METADATA, NATIVE, Login, b64, basic_token, capture, compact, jwt, refresh, registered, with_token



@capture("id-token/id-token-nonce-mismatch")
def _(c):
    """The ID token carries another nonce than the login sent."""
    with_token(c, lambda login: jwt(login.claims(nonce=c.value("another nonce"))), status=500)


@capture("id-token/id-token-nonce-mismatch.near-miss")
def _(c):
    """The ID token of the login has its nonce; the one of the refresh later has another, which is not judged."""
    login = with_token(c, lambda login: jwt(login.claims()))
    c.wait(590)
    refresh(login, nonce=c.value("another nonce"))


@capture("id-token/id-token-audience-mismatch")
def _(c):
    """The ID token is made for the shop's mobile client, not for the web client that asked."""
    with_token(c, lambda login: jwt(login.claims(aud="shop-mobile")), status=500)


@capture("id-token/id-token-audience-mismatch.near-miss")
def _(c):
    """The ID token is made for two audiences, the client among them."""
    with_token(c, lambda login: jwt(login.claims(aud=["shop-api", "shop-web"], azp="shop-web")))


@capture("id-token/id-token-kid-unknown")
def _(c):
    """The provider signs with a new key, the app verifies with the key set it fetched before; a later key set has the key."""
    login = with_token(c, lambda login: jwt(login.claims()), status=500, before=("2025-11",), keys=None)
    c.wait(60)
    login.keys("2025-11", "2026-03")


@capture("id-token/id-token-kid-unknown.near-miss")
def _(c):
    """The provider signs with a new key; the app fetches the key set again at once, finds it and goes on."""
    with_token(c, lambda login: jwt(login.claims()), before=("2025-11",), keys=("2025-11", "2026-03")).home()


@capture("id-token/id-token-signature-invalid")
def _(c):
    """The ID token's subject was altered after signing."""

    def altered(login):
        header, _, signature = jwt(login.claims()).split(".")
        return ".".join([header, jwt(login.claims(sub="mallory")).split(".")[1], signature])

    with_token(c, altered, status=500)


@capture("id-token/id-token-signature-invalid.near-miss")
def _(c):
    """The ID token names no key; the first key of the set does not verify it, the second does."""
    with_token(c, lambda login: jwt(login.claims(), named=False))


def asked(c, query, id_token, *, status=302):
    """A login that asks for something besides, and its ID token."""
    login = Login(c)
    login.query = query
    login.start()
    login.sign_in()
    login.callback(status, None if status == 302 else FAILED)
    login.id_token = id_token(login)
    login.token()
    login.keys()
    return login


def encrypted(c):
    """Five parts of the right look; nobody has the key, so nobody can tell what is in it."""
    header = b64(compact({"alg": "RSA-OAEP-256", "enc": "A256GCM", "kid": "shop-enc", "cty": "JWT"}))
    return ".".join([header, c.value("encrypted key", 86), c.value("vector", 16), c.value("ciphertext", 80), c.value("tag", 22)])


@capture("id-token/id-token-malformed")
def _(c):
    """The ID token was cut off: its signature is missing, and the end of its claims."""
    with_token(c, lambda login: jwt(login.claims())[:160], status=500, keys=None)


@capture("id-token/id-token-malformed.near-miss")
def _(c):
    """The ID token has five parts: it is encrypted."""
    with_token(c, lambda login: encrypted(c), keys=None)


@capture("id-token/id-token-claims-missing")
def _(c):
    """The ID token does not say whom it is about."""
    with_token(c, lambda login: jwt(login.claims(sub=None)), status=500)


@capture("id-token/id-token-claims-missing.near-miss")
def _(c):
    """The ID token has what it has to have, its times with fractions of a second."""
    with_token(c, lambda login: jwt(login.claims(iat=c.seconds + 0.25, exp=c.seconds + 600.5)))


@capture("id-token/id-token-issuer-mismatch")
def _(c):
    """The provider does not know that its proxy speaks https: its tokens name another issuer than its metadata."""
    with_token(c, lambda login: jwt(login.claims(iss=ID.replace("https", "http"))), status=500, before=("2026-03",), keys=None)


@capture("id-token/id-token-issuer-mismatch.near-miss")
def _(c):
    """The app has read the metadata of another tenant at the same host before; the ID token is of the one that it asked."""
    other = {name: value.replace(ID, ID + "/staging") if isinstance(value, str) else value for name, value in METADATA.items()}
    c.get(ID + "/staging/.well-known/openid-configuration", body=other, agent=BACKEND)
    with_token(c, lambda login: jwt(login.claims()), before=("2026-03",), keys=None)


@capture("id-token/id-token-azp-mismatch")
def _(c):
    """The ID token was issued to the mobile client; the web client is one of its audiences only."""
    with_token(c, lambda login: jwt(login.claims(aud=["shop-web", "shop-mobile"], azp="shop-mobile")), status=500)


@capture("id-token/id-token-azp-mismatch.near-miss")
def _(c):
    """The ID token was issued to the client that asked, and has another audience besides."""
    with_token(c, lambda login: jwt(login.claims(aud=["shop-web", "shop-api"], azp="shop-web")))


@capture("id-token/id-token-expired")
def _(c):
    """The ID token had run out five minutes before the provider delivered it."""
    with_token(c, lambda login: jwt(login.claims(iat=c.seconds - 900, exp=c.seconds - 300)), status=500)


@capture("id-token/id-token-expired.near-miss")
def _(c):
    """The ID token holds for half a minute; the user stays longer than that."""
    login = with_token(c, lambda login: jwt(login.claims(exp=c.seconds + 30)))
    c.wait(120)
    login.home()


@capture("id-token/id-token-not-yet-valid")
def _(c):
    """The node that signs is ten minutes ahead of the node that answers."""
    with_token(c, lambda login: jwt(login.claims(iat=c.seconds + 600, nbf=c.seconds + 600, exp=c.seconds + 1200)), status=500)


@capture("id-token/id-token-not-yet-valid.near-miss")
def _(c):
    """The node that signs is three quarters of a minute ahead, which clients put up with."""
    with_token(c, lambda login: jwt(login.claims(iat=c.seconds + 45)))


def on_a_phone(c, behind):
    """A native app's login, recorded by a phone whose clock is so many seconds behind."""
    login = Login(c, client="shop-app", redirect="example.shop.app:/oauth2redirect")
    c.get(ID + "/.well-known/openid-configuration", body=METADATA, agent=NATIVE)
    login.sign_in()
    login.token(agent=NATIVE)
    login.keys(agent=NATIVE)
    for entry in c.entries:
        time = datetime.datetime.fromisoformat(entry["startedDateTime"].replace("Z", "+00:00")) - datetime.timedelta(seconds=behind)
        entry["startedDateTime"] = time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03d}Z"


@capture("id-token/client-clock-skew")
def _(c):
    """The phone's clock is seventeen minutes slow; the app gets its tokens and does not use them."""
    on_a_phone(c, 17 * 60)


@capture("id-token/client-clock-skew.near-miss")
def _(c):
    """The phone's clock is a minute and a half slow."""
    on_a_phone(c, 90)


@capture("id-token/id-token-nonce-missing")
def _(c):
    """The login sent a nonce, and the ID token has none."""
    with_token(c, lambda login: jwt(login.claims(nonce=None)), status=500)


@capture("id-token/id-token-nonce-missing.near-miss")
def _(c):
    """The ID token of the login has the nonce, the one of the refresh later has none, as it may."""
    login = with_token(c, lambda login: jwt(login.claims()))
    c.wait(590)
    refresh(login)


def unsigned(login):
    return b64(compact({"alg": "none", "typ": "JWT"})) + "." + b64(compact(login.claims())) + "."


def with_algorithm(c, algorithm, id_token, *, status=302):
    """A client that has registered an algorithm for its ID tokens."""
    login = registered(c, c.value("secret", 32))
    content = c.entries[-1]["response"]["content"]
    content["text"] = compact({**json.loads(content["text"]), "id_token_signed_response_alg": algorithm})
    content["size"] = len(content["text"])
    login.start()
    login.sign_in()
    login.callback(status, None if status == 302 else FAILED)
    login.id_token = id_token(login)
    basic_token(login, login.secret, 200)
    login.keys()


@capture("id-token/id-token-alg-none")
def _(c):
    """The ID token has the algorithm none and no signature."""
    with_token(c, unsigned, status=500)


@capture("id-token/id-token-alg-none.near-miss")
def _(c):
    """The client has registered none for its ID tokens, and gets them from the token endpoint alone."""
    with_algorithm(c, "none", unsigned)


@capture("id-token/id-token-alg-unexpected")
def _(c):
    """The client has registered ES256, and the ID token is signed with RS256."""
    with_algorithm(c, "ES256", lambda login: jwt(login.claims()), status=500)


@capture("id-token/id-token-alg-unexpected.near-miss")
def _(c):
    """The client has registered RS256, which the ID token is signed with."""
    with_algorithm(c, "RS256", lambda login: jwt(login.claims()))


def half_hash(value):
    return b64(hashlib.sha256(value.encode()).digest()[:16])


@capture("id-token/id-token-hash-mismatch")
def _(c):
    """The ID token's at_hash is that of another access token."""
    with_token(c, lambda login: jwt(login.claims(at_hash=half_hash(c.value("another access", 40)))), status=500)


@capture("id-token/id-token-hash-mismatch.near-miss")
def _(c):
    """The ID token has the hashes of the access token and of the code."""
    with_token(c, lambda login: jwt(login.claims(at_hash=half_hash(login.access), c_hash=half_hash(login.code))))


@capture("id-token/acr-not-satisfied")
def _(c):
    """The app asks for two factors; the provider's default was used, which the ID token says."""
    asked(c, {"acr_values": "two-factor"}, lambda login: jwt(login.claims(acr="0"))).home()


@capture("id-token/acr-not-satisfied.near-miss")
def _(c):
    """The app asks for one of two methods, and the second was used."""
    asked(c, {"acr_values": "passkey two-factor"}, lambda login: jwt(login.claims(acr="two-factor"))).home()


@capture("id-token/auth-time-stale")
def _(c):
    """The app asks for a sign-in of the last five minutes; the user's is an hour old."""
    asked(c, {"max_age": "300"}, lambda login: jwt(login.claims(auth_time=c.seconds - 3600)), status=500)


@capture("id-token/auth-time-stale.near-miss")
def _(c):
    """The sign-in is ten seconds older than the app asks for, which is within what clocks may differ."""
    asked(c, {"max_age": "300"}, lambda login: jwt(login.claims(auth_time=c.seconds - 310)))


@capture("id-token/id-token-encrypted")
def _(c):
    """The ID token is encrypted for the client; nobody but the client can look inside."""
    with_token(c, lambda login: encrypted(c), keys=None).home()


@capture("id-token/id-token-encrypted.near-miss")
def _(c):
    """The ID token is signed and can be read."""
    with_token(c, lambda login: jwt(login.claims())).home()
