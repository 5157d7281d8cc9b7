#!/usr/bin/env python3
"""One login by code as a relying party and its user's browser, in one process: status 0 when somebody is signed in.

  scripted_app.py [--lax CHECK,...] [--cache FILE] [--no-userinfo]

The provider is $AUTHREEL_ISSUER; $CLIENT_ID, $CLIENT_SECRET and $REDIRECT_URI say who asks it. What is named after --lax is not checked: state, iss, nonce, aud, exp, iat, sub, alg,
signature, userinfo; pkce is not sent. --cache keeps metadata and keys in a file for the next login, as a server that runs on does."""
import argparse
import base64
import hashlib
import json
import os
import pathlib
import secrets
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

REDIRECT_URI = os.environ.get("REDIRECT_URI", "http://127.0.0.1:9/callback")
CLIENT, SECRET = os.environ.get("CLIENT_ID", "shop"), os.environ.get("CLIENT_SECRET", "shop-secret")


class Refused(Exception):
    pass


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


TRUST = ssl.create_default_context(cafile=os.environ.get("AUTHREEL_CA"))
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirect, urllib.request.HTTPSHandler(context=TRUST))


def ask(url, form=None, **headers):
    data = urllib.parse.urlencode(form).encode() if form is not None else None
    try:
        with OPENER.open(urllib.request.Request(url, data, headers), timeout=1.5) as answer:
            return answer.status, dict(answer.headers.items()), answer.read()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers.items()), error.read()


def document(url, form=None, **headers):
    status, _, body = ask(url, form, **headers)
    if status != 200:
        raise Refused(f"{url}: {status}")
    return json.loads(body)


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def number(text):
    return int.from_bytes(decoded(text), "big")


def is_signed(token, key):
    """RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017, section 8.2.2)."""
    signed, _, signature = token.rpartition(".")
    modulus = number(key["n"])
    size = (modulus.bit_length() + 7) // 8
    block = pow(int.from_bytes(decoded(signature), "big"), number(key["e"]), modulus).to_bytes(size, "big")
    digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(signed.encode()).digest()
    return block == b"\0\1" + b"\xff" * (size - len(digest) - 3) + b"\0" + digest


class App:
    def __init__(self, lax, cache, uses_userinfo):
        self.lax, self.cache, self.uses_userinfo = lax, cache, uses_userinfo
        self.issuer = os.environ["AUTHREEL_ISSUER"]
        self.kept = json.loads(cache.read_text()) if cache and cache.exists() else {}

    def must(self, check, holds, what):
        if check not in self.lax and not holds:
            raise Refused(what)

    def keep(self, name, url):
        if name not in self.kept:
            self.kept[name] = document(url)
            if self.cache:
                self.cache.write_text(json.dumps(self.kept))
        return self.kept[name]

    def log_in(self):
        metadata = self.keep("metadata", self.issuer + "/.well-known/openid-configuration")
        if metadata["issuer"] != self.issuer:
            raise Refused("metadata of another issuer")
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        asked, proof = {"code_challenge": challenge, "code_challenge_method": "S256"}, {"code_verifier": verifier}
        if "pkce" in self.lax:
            asked, proof = {}, {}
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": CLIENT, "redirect_uri": REDIRECT_URI, "scope": "openid profile",
            "state": state, "nonce": nonce, **asked})
        status, headers, _ = ask(metadata["authorization_endpoint"] + "?" + query)
        target = urllib.parse.urlsplit(headers.get("Location", ""))
        if target._replace(query="", fragment="").geturl() != REDIRECT_URI:
            raise Refused(f"the browser was not sent back: {status}")
        came = dict(urllib.parse.parse_qsl(target.query))
        self.must("state", came.get("state") == state, "another state")
        self.must("iss", came.get("iss", self.issuer) == self.issuer, "an answer of another issuer")
        if "code" not in came:
            raise Refused(came.get("error", "no code"))
        tokens = document(metadata["token_endpoint"], {
            "grant_type": "authorization_code", "code": came["code"], "redirect_uri": REDIRECT_URI,
            "client_id": CLIENT, "client_secret": SECRET, **proof})
        claims = self.verify(tokens["id_token"], metadata, nonce)
        if self.uses_userinfo and "userinfo_endpoint" in metadata:
            user = document(metadata["userinfo_endpoint"], Authorization="Bearer " + tokens["access_token"])
            self.must("userinfo", user.get("sub") == claims.get("sub"), "userinfo of another user")
        return claims.get("sub", "nobody")

    def verify(self, token, metadata, nonce):
        header, claims = (json.loads(decoded(part)) for part in token.split(".")[:2])
        self.must("alg", header.get("alg") == "RS256", f"alg {header.get('alg')}")
        if "signature" not in self.lax and header.get("alg") == "RS256":
            keys = self.keep("keys", metadata["jwks_uri"])["keys"]
            key = next((key for key in keys if key.get("kid") == header.get("kid")), None)
            self.must("signature", key and is_signed(token, key), "no valid signature")
        audience = claims.get("aud")
        now = time.time()
        self.must("iss", claims.get("iss") == self.issuer, "a token of another issuer")
        self.must("aud", CLIENT in (audience if isinstance(audience, list) else [audience]), "a token for another client")
        self.must("exp", claims.get("exp", 0) > now - 60, "an expired token")
        self.must("iat", abs(claims.get("iat", 0) - now) < 600, "a token that is not of now")
        self.must("sub", claims.get("sub"), "a token about nobody")
        self.must("nonce", claims.get("nonce") == nonce, "another nonce")
        return claims


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lax", type=lambda text: set(text.split(",")), default=set())
    parser.add_argument("--cache", type=pathlib.Path)
    parser.add_argument("--no-userinfo", action="store_true")
    options = parser.parse_args()
    try:
        print("signed in:", App(options.lax, options.cache, not options.no_userinfo).log_in())
    except Exception as failure:
        sys.exit(f"{type(failure).__name__}: {failure}")


if __name__ == "__main__":
    main()
