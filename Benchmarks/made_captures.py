"""Captures for benchmarks, made anew each time, and what a run on one costs."""

import base64
import hashlib
import json
import os
import sys

ISSUER = "https://idp.example"
BROWSER = [
    ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"), ("Accept-Encoding", "gzip, deflate, br, zstd"),
    ("Accept-Language", "en-GB,en;q=0.9,de;q=0.8"), ("Connection", "keep-alive"), ("sec-ch-ua", '"Chromium";v="142", "Not)A;Brand";v="24"'),
    ("sec-ch-ua-mobile", "?0"), ("sec-ch-ua-platform", '"Linux"'), ("Sec-Fetch-Dest", "document"), ("Sec-Fetch-Mode", "navigate"),
    ("Sec-Fetch-Site", "same-origin"), ("Upgrade-Insecure-Requests", "1"),
    ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"),
]
BACKEND = [("Accept", "application/json"), ("User-Agent", "shop-backend/2.1")]
ANSWER = [
    ("Cache-Control", "no-cache, no-store, max-age=0, must-revalidate"), ("Connection", "keep-alive"), ("Pragma", "no-cache"),
    ("Referrer-Policy", "strict-origin-when-cross-origin"), ("Server", "nginx"), ("Strict-Transport-Security", "max-age=31536000; includeSubDomains"),
    ("Vary", "Accept-Encoding, Origin"), ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
]


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def pairs(items):
    return [{"name": name, "value": value} for name, value in items]


def entry(second, method, url, status, headers, answers=(), body="", kind="application/json", form=None):
    request = {"method": method, "url": url, "httpVersion": "HTTP/1.1", "cookies": [], "headers": pairs(headers), "queryString": [],
               "headersSize": -1, "bodySize": len(form or "")}
    if form:
        request["postData"] = {"mimeType": "application/x-www-form-urlencoded", "text": form}
    response = {"status": status, "statusText": "", "httpVersion": "HTTP/1.1", "cookies": [], "headers": pairs([*ANSWER, *answers]),
                "content": {"size": len(body), "mimeType": kind, "text": body}, "redirectURL": "", "headersSize": -1, "bodySize": len(body)}
    return {"startedDateTime": f"2026-03-{10 + second // 86400:02d}T{second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}.000Z",
            "time": 40, "request": request, "response": response, "cache": {}, "timings": {"send": 0, "wait": 40, "receive": 0}}


def login(number, second):
    digest = lambda label: hashlib.sha256(f"{label} {number}".encode())
    state, code, verifier = digest("state").hexdigest()[:22], digest("code").hexdigest(), b64(digest("verifier").digest())
    challenge, client, breaks = b64(hashlib.sha256(verifier.encode()).digest()), f"shop-{number % 10}", number % 7 == 0
    request = (f"{ISSUER}/authorize?response_type=code&client_id={client}&redirect_uri=https%3A%2F%2Fshop.example%2Fcb&scope=openid"
               f"&state={state}&nonce=n{state}&code_challenge={challenge}&code_challenge_method=S256")
    form = (f"grant_type=authorization_code&code={code}&redirect_uri=https%3A%2F%2Fshop.example%2Fcb&client_id={client}"
            f"&code_verifier={verifier}{'x' if breaks else ''}")
    page = f'<form method="post" action="/login"><input type="hidden" name="csrf" value="{code[:20]}"><input name="user"></form>'
    token = json.dumps({"error": "invalid_grant"} if breaks else {"access_token": "at" + code, "token_type": "Bearer", "expires_in": 300})
    callback = f"https://shop.example/cb?code={code}&state={state}"
    yield entry(second, "GET", "https://shop.example/login", 302, BROWSER, [("Location", request), ("Set-Cookie", f"login={state}; Path=/; Secure; HttpOnly")])
    yield entry(second, "GET", request, 200, BROWSER, body=page, kind="text/html")
    yield entry(second + 5, "POST", ISSUER + "/login", 302, BROWSER, [("Location", callback)], form=f"csrf={code[:20]}&user=alice")
    yield entry(second + 5, "GET", callback, 302, [*BROWSER, ("Cookie", f"login={state}")], [("Location", "/home")])
    yield entry(second + 5, "POST", ISSUER + "/token", 400 if breaks else 200, BACKEND, body=token, form=form)
    if not breaks:
        yield entry(second + 5, "GET", ISSUER + "/userinfo", 200, [*BACKEND, ("Authorization", "Bearer at" + code)], body='{"sub":"alice"}')


def make(path, count):
    metadata = {"issuer": ISSUER, "authorization_endpoint": ISSUER + "/authorize", "token_endpoint": ISSUER + "/token",
                "jwks_uri": ISSUER + "/jwks", "userinfo_endpoint": ISSUER + "/userinfo"}
    others = ["https://shop.example/api/items/%d", "https://cdn.example/asset-%d.js", ISSUER + "/static/%d.css", "https://shop.example/page/%d"]
    with open(path, "w") as file:
        file.write('{"log":{"version":"1.2","creator":{"name":"benchmark","version":"1"},"entries":[\n')
        for index in range(count):
            if index:
                file.write(",\n")
            number, place = divmod(index, 100)
            second = number * 40
            if place == 0:
                steps = list(login(number, second))
            if index == 1:
                made = entry(second, "GET", ISSUER + "/.well-known/openid-configuration", 200, BACKEND, body=json.dumps(metadata))
            elif 10 <= place < 10 + len(steps):
                made = steps[place - 10]
            else:
                body = '{"id":%d,"name":"%s"}' % (index, "x" * 400)
                made = entry(second + 6, "GET", others[index % 4] % index, 200, [*BROWSER, ("Cookie", "session=0123456789abcdef")], body=body)
            json.dump(made, file, separators=(",", ":"))
        file.write("\n]}}\n")


def measure(program, arguments):
    """CPU seconds and peak memory in bytes of a run whose output nobody reads."""
    child = os.fork()
    if child == 0:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        os.execv(program, [program, *arguments])
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{program} {' '.join(arguments)} ended with {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
