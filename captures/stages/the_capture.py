"""Stage 1. The capture itself."""

from parts import APP, ID, METADATA, NATIVE, Login, capture, compact, web

STRIPPED = {"cookie", "set-cookie", "authorization"}


def strip(c):
    """As browsers export by default: without cookies and credentials."""
    for entry in c.entries:
        for side in (entry["request"], entry["response"]):
            side["headers"] = [field for field in side["headers"] if field["name"].lower() not in STRIPPED]
            side["cookies"] = []


@capture("the-capture/capture-sanitized")
def _(c):
    """A login exported from a browser by default: not one cookie or credential in it."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.home()
    strip(c)
    c.creator = ("WebInspector", "537.36")


@capture("the-capture/capture-sanitized.near-miss")
def _(c):
    """The same login exported with sensitive data: a single cookie in a single answer is enough."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.home()
    kept = c.entries[1]["response"]["headers"]
    strip(c)
    c.entries[1]["response"]["headers"] = kept
    c.creator = ("WebInspector", "537.36")


@capture("the-capture/backchannel-not-recorded")
def _(c):
    """The browser's half of a login: the app takes the code and goes on, its own requests are not in the file."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.home()


@capture("the-capture/backchannel-not-recorded.near-miss")
def _(c):
    """Both halves of a login: the exchange of the code is in the file."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.token()
    login.keys()
    login.home()


@capture("the-capture/response-body-missing")
def _(c):
    """The token endpoint's answer was saved without its content."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.token()
    del c.entries[-1]["response"]["content"]["text"]
    login.home()


@capture("the-capture/response-body-missing.near-miss")
def _(c):
    """The key endpoint answers 304, which has no content."""
    login = web(c)
    login.sign_in()
    login.callback()
    login.token()
    login.keys()
    c.get(ID + "/jwks", 304)
    content = c.entries[-1]["response"]["content"]
    del content["text"], content["size"]
    login.home()


@capture("the-capture/code-never-redeemed")
def _(c):
    """The app reads the metadata and opens the browser; the code comes back to its scheme, and it never asks for tokens."""
    login = Login(c, client="shop-app", redirect="example.shop.app:/oauth2redirect")
    c.get(ID + "/.well-known/openid-configuration", body=METADATA, agent=NATIVE)
    login.sign_in()
    c.wait(45)
    c.get(APP + "/offers.json", body={"offers": []}, agent=NATIVE)


@capture("the-capture/code-never-redeemed.near-miss")
def _(c):
    """The app hands the code to its back end, which exchanges it out of sight."""
    login = Login(c, client="shop-app", redirect="example.shop.app:/oauth2redirect")
    c.get(ID + "/.well-known/openid-configuration", body=METADATA, agent=NATIVE)
    login.sign_in()
    c.post(APP + "/api/session", 200, agent=NATIVE, sent=compact({"code": login.code, "verifier": login.verifier}),
           sent_kind="application/json", body={"session": login.session})
    c.wait(45)
    c.get(APP + "/offers.json", body={"offers": []}, agent=NATIVE)
