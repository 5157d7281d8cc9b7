"""Stage 2. Discovery and metadata."""

from parts import APP, BACKEND, FAILED, ID, METADATA, NATIVE, Login, capture, form, jwk, jwt, web, with_token

DOCUMENT = ID + "/.well-known/openid-configuration"
TOOLS = "https://tools.harbour.example"
PAGE = "<!doctype html><html><head><title>Harbour</title></head><body><div id=root></div><script src=/app.js></script></body></html>"


def native(c, metadata=METADATA):
    """A login of an app that reads the metadata first."""
    login = Login(c, client="shop-app", redirect="example.shop.app:/oauth2redirect")
    c.get(DOCUMENT, body=metadata, agent=NATIVE)
    return login


def finish(login):
    login.sign_in()
    login.token(agent=NATIVE)
    login.keys(agent=NATIVE)
    login.userinfo(agent=NATIVE)


def changed(**members):
    """The provider's metadata with members replaced; None leaves one out."""
    return {name: value for name, value in {**METADATA, **members}.items() if value is not None}


@capture("discovery/discovery-unreachable")
def _(c):
    """The issuer in the app's configuration lacks the tenant: neither form of the well-known URL is there."""
    missing = {"error": "Not found"}
    c.get(ID + "/shop/.well-known/openid-configuration", 404, body=missing, agent=NATIVE)
    c.get(ID + "/.well-known/oauth-authorization-server/shop", 404, body=missing, agent=NATIVE)


@capture("discovery/discovery-unreachable.near-miss")
def _(c):
    """The app tries the form of RFC 8414 first, which is not there, and then the one of OpenID Connect, which is."""
    c.get(ID + "/.well-known/oauth-authorization-server", 404, body={"error": "Not found"}, agent=NATIVE)
    finish(native(c))


@capture("discovery/discovery-not-json")
def _(c):
    """A single-page app answers every path with its start page, the well-known one too."""
    c.get(APP + "/.well-known/openid-configuration", body=PAGE, agent=NATIVE)


@capture("discovery/discovery-not-json.near-miss")
def _(c):
    """The metadata is served as application/octet-stream; what is in it is JSON all the same."""
    login = Login(c, client="shop-app", redirect="example.shop.app:/oauth2redirect")
    c.get(DOCUMENT, body=METADATA, kind="application/octet-stream", agent=NATIVE)
    finish(login)


@capture("discovery/discovery-issuer-mismatch")
def _(c):
    """The provider stands behind a proxy and calls itself by its internal name; the app stops there."""
    c.get(DOCUMENT, agent=NATIVE, body=changed(issuer="http://harbour.internal.example:8080"))


@capture("discovery/discovery-issuer-mismatch.near-miss")
def _(c):
    """The issuer in the document has a slash at its end that the URL asked has not."""
    login = native(c, changed(issuer=ID + "/"))
    login.sign_in()
    login.id_token = jwt(login.claims(iss=ID + "/"))
    login.token(agent=NATIVE)
    login.keys(agent=NATIVE)


@capture("discovery/discovery-missing-endpoint")
def _(c):
    """The metadata names no authorization endpoint; the app stops there."""
    c.get(DOCUMENT, agent=NATIVE, body=changed(authorization_endpoint=None))


@capture("discovery/discovery-missing-endpoint.near-miss")
def _(c):
    """Metadata of plain OAuth without keys, of a server for devices only: nothing that is needed is missing."""
    c.get(ID + "/.well-known/oauth-authorization-server", agent=NATIVE, body={
        "issuer": ID, "token_endpoint": ID + "/token", "device_authorization_endpoint": ID + "/device_authorization",
        "grant_types_supported": ["urn:ietf:params:oauth:grant-type:device_code"], "response_types_supported": []})
    device = c.value("device code", 32)
    c.post(ID + "/device_authorization", agent=NATIVE, sent=form(client_id="shop-tv"), body={
        "device_code": device, "user_code": "WDJB-MJHT", "verification_uri": ID + "/device", "expires_in": 600, "interval": 5})
    c.wait(20)
    c.post(ID + "/token", agent=NATIVE, body={"access_token": c.value("access", 40), "token_type": "Bearer", "expires_in": 600},
           sent=form(grant_type="urn:ietf:params:oauth:grant-type:device_code", device_code=device, client_id="shop-tv"))


@capture("discovery/discovery-endpoint-insecure")
def _(c):
    """The metadata names two endpoints with http; the app calls them with https by its own configuration."""
    finish(native(c, changed(userinfo_endpoint=ID.replace("https:", "http:") + "/userinfo",
                             end_session_endpoint=ID.replace("https:", "http:") + "/end-session")))


@capture("discovery/discovery-endpoint-insecure.near-miss")
def _(c):
    """The metadata itself comes over http from a test host in a private network, where all of its endpoints are, too."""
    host = "http://harbour.internal.example:8080"
    c.get(host + "/.well-known/openid-configuration", agent=BACKEND, body={
        name: value.replace(ID, host) if isinstance(value, str) else value for name, value in METADATA.items()})
    c.get(host + "/jwks", agent=BACKEND, body={"keys": [jwk("2026-03")]})


@capture("discovery/jwks-unreachable")
def _(c):
    """The key endpoint is not there: the app cannot check the ID token and refuses the login."""
    login = web(c)
    login.discover()
    login.sign_in()
    login.callback(500, FAILED)
    login.token()
    c.get(ID + "/jwks", 404, body={"error": "Not found"}, agent=BACKEND)


@capture("discovery/jwks-unreachable.near-miss")
def _(c):
    """The key endpoint fails once and answers the second time."""
    login = web(c)
    login.discover()
    login.sign_in()
    login.callback(took=2000)
    login.token()
    c.get(ID + "/jwks", 503, body="<!doctype html>Service unavailable", agent=BACKEND)
    c.wait(0.5)
    login.keys()
    login.home()


@capture("discovery/jwks-private-key-exposed")
def _(c):
    """One of the two published keys has its private exponent."""
    login = with_token(c, lambda login: jwt(login.claims()), keys=None)
    c.get(ID + "/jwks", agent=BACKEND, body={"keys": [{**jwk("2025-11"), "d": c.value("invented exponent", 64)}, jwk("2026-03")]})
    login.home()


@capture("discovery/jwks-private-key-exposed.near-miss")
def _(c):
    """The back end keeps a private key in a file that its own page offers as a key set; no provider serves it."""
    login = with_token(c, lambda login: jwt(login.claims()))
    login.home()
    c.get(APP + "/debug/client-keys.json", body={"keys": [{**jwk("2025-11"), "d": c.value("invented exponent", 64)}]}, agent=BACKEND)


def refused(c, path="/mcp", metadata=True):
    """A client without a token is refused at the resource."""
    where = f'Bearer resource_metadata="{TOOLS}/.well-known/oauth-protected-resource{path}"' if metadata else "Bearer"
    c.post(TOOLS + path, 401, agent=NATIVE, sent='{"jsonrpc":"2.0","id":1,"method":"initialize"}', sent_kind="application/json",
           body={"error": "invalid_token"}, answers=[("WWW-Authenticate", where)])


def described(c, resource, servers=(ID,), path="/mcp"):
    c.get(TOOLS + "/.well-known/oauth-protected-resource" + path, agent=NATIVE,
          body={"resource": resource, "authorization_servers": list(servers), "scopes_supported": ["openid"]})


def tool_login(c, resource=TOOLS + "/mcp"):
    """A login for the resource, and the call with its token."""
    login = Login(c, client="tools-client", redirect="example.tools.client:/callback")
    login.query = {"resource": resource}
    c.get(DOCUMENT, body=METADATA, agent=NATIVE)
    login.sign_in()
    login.token(agent=NATIVE, resource=resource)
    c.post(resource, 200, agent=NATIVE, sent='{"jsonrpc":"2.0","id":1,"method":"initialize"}', sent_kind="application/json",
           headers=[("Authorization", "Bearer " + login.access)], body={"jsonrpc": "2.0", "id": 1, "result": {}})


@capture("discovery/resource-metadata-mismatch")
def _(c):
    """The resource's metadata has a slash at the end of its name that clients do not send; the client stops there."""
    refused(c)
    described(c, TOOLS + "/mcp/")


@capture("discovery/resource-metadata-mismatch.near-miss")
def _(c):
    """The resource's metadata names the very URL the client was refused at, and the login goes through."""
    refused(c)
    described(c, TOOLS + "/mcp")
    tool_login(c)


@capture("discovery/resource-metadata-missing")
def _(c):
    """The resource refuses without naming its metadata, and has none at either place where the client looks for it."""
    refused(c, metadata=False)
    for path in ("/mcp", ""):
        c.get(TOOLS + "/.well-known/oauth-protected-resource" + path, 404, body="<!doctype html>Not found", agent=NATIVE)


@capture("discovery/resource-metadata-missing.near-miss")
def _(c):
    """The resource refuses without naming its metadata; the client finds it at the second place it looks at."""
    refused(c, metadata=False)
    c.get(TOOLS + "/.well-known/oauth-protected-resource/mcp", 404, body="<!doctype html>Not found", agent=NATIVE)
    described(c, TOOLS, path="")
    tool_login(c, TOOLS)


@capture("discovery/authorization-server-not-listed")
def _(c):
    """The resource's metadata lists another authorization server than the one the login goes to."""
    refused(c)
    described(c, TOOLS + "/mcp", servers=["https://id.lighthouse.example"])
    tool_login(c)


@capture("discovery/authorization-server-not-listed.near-miss")
def _(c):
    """The resource's metadata lists two servers, and the login goes to the second; a slash at the end does not count."""
    refused(c)
    described(c, TOOLS + "/mcp", servers=["https://id.lighthouse.example", ID + "/"])
    tool_login(c)
