"""A Chromium without a window, driven through chromedriver's WebDriver interface: log in, look around, log out."""
import contextlib
import json
import os
import shlex
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
import pathlib

from service import WITH_OWNER, Service, end_all_below, free_port

# What the provider's page in front of us wants. It is a React page: a value counts when its input event is heard.
STEP = """
const [user, password, scopes] = arguments;
const visible = element => element && element.offsetParent !== null;
const fill = (element, value) => {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(element, value);
  element.dispatchEvent(new Event('input', {bubbles: true}));
};
if (document.readyState !== 'complete') return 'loading';
const secret = document.querySelector('#passwordForm #password');
if (visible(secret) && !window.hasSignedIn) {
  fill(document.querySelector('#username'), user);
  fill(secret, password);
  window.hasSignedIn = true;
  document.querySelector('#loginbut').click();
  return 'signed in';
}
const boxes = [...document.querySelectorAll('input[type=checkbox][id^="grant-"]')].filter(visible);
if (scopes && boxes.length && !window.hasGranted) {
  const other = boxes.find(box => box.checked !== scopes.includes(box.id.slice('grant-'.length)));
  if (other) {
    other.click();
    return 'ticked';
  }
  window.hasGranted = true;
  [...document.querySelectorAll('button.btn-primary')].find(visible).click();
  return 'granted';
}
const onward = [...document.querySelectorAll('button.btn-success')].find(visible);
if (onward && !window.hasGoneOn) {
  // The page still asks for the consents when it shows the button.
  window.seen = (window.seen || 0) + 1;
  if (window.seen < 6) return 'waiting';
  window.hasGoneOn = true;
  onward.click();
  return 'went on';
}
return 'waiting';
"""

ANSWERS = "return performance.getEntries().filter(part => part.responseStatus).map(part => [part.responseStatus, part.name])"


def awaited(script):
    """A script for a driver's asynchronous execution: its last argument gets [true, what it returns] or [false, its error]."""
    return ("const done = arguments[arguments.length - 1];"
            f"(async function() {{ {script} }})(...arguments)"
            ".then(value => done([true, value ?? null]), error => done([false, `${error}`]))")


# Chromium without a window and what belongs to one: it takes a third of the time of `chromium --headless`.
WITHOUT_WINDOW = "chromium-headless-shell"


def flags(proxy, http3=()):
    """`http3`: hosts and ports that are asked in HTTP/3 from the first time on."""
    # Loopback goes through the proxy, too; what the browser itself calls home for is sent past it to nowhere.
    return ["--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--no-default-browser-check",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
            "--disable-domain-reliability", "--no-pings",
            *([f"--origin-to-force-quic-on={','.join(http3)}"] if http3 else ["--disable-quic"]), "--lang=en",
            "--disable-features=OptimizationHints,MediaRouter,Translate,AutofillServerCommunication,HttpsUpgrades",
            # QUIC does not try another address of a host where nobody answers at the first.
            f"--host-resolver-rules={'MAP localhost 127.0.0.1, ' if http3 else ''}MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
            f"{'' if http3 else ', EXCLUDE localhost'}",
            *([f"--proxy-server=http://{proxy}", "--proxy-bypass-list=<-loopback>;*.com;*.org;*.net;*.dev;*.goog"]
              if proxy else ["--no-proxy-server"]),
            *(["--no-sandbox"] if os.getuid() == 0 else [])]


def program(home, name):
    """A Chromium that ends with its chromedriver, which leaves it running when it is ended itself."""
    script = home / "chromium"
    script.write_text(f'#!/bin/sh\nexec {shlex.join(WITH_OWNER)} {shutil.which(name)} "$@"\n')
    script.chmod(0o755)
    return script


class Driver:
    """The few WebDriver calls that are needed."""

    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}"
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with self.opener.open(request, timeout=30) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"].splitlines()[0]) from None

    def begin(self, **options):
        """A session of a browser that is started so, or is there already: `debuggerAddress` tells where."""
        capabilities = {"alwaysMatch": {"browserName": "chrome", "pageLoadStrategy": "eager", "goog:chromeOptions": options,
                                        "goog:loggingPrefs": {"performance": "ALL"}}}
        self.session = "/session/" + self.call("POST", "/session", {"capabilities": capabilities})["sessionId"]

    def go(self, url):
        self.call("POST", self.session + "/url", {"url": url})

    def run(self, script, *arguments):
        return self.call("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def address(self):
        return self.call("GET", self.session + "/url")

    def devtools(self, command, **parameters):
        return self.call("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def answers(self):
        """What the page in front of us was made of, as (status, URL)."""
        return self.run(ANSWERS)

    def events(self):
        """The network events of DevTools since the last call."""
        entries = self.call("POST", self.session + "/se/log", {"type": "performance"})
        return [json.loads(entry["message"])["message"] for entry in entries]

    def windows(self):
        """Goes to one window after another."""
        for window in self.call("GET", self.session + "/window/handles"):
            self.call("POST", self.session + "/window", {"handle": window})
            yield

    def forget(self, prefix):
        cookies = self.devtools("Network.getAllCookies")["cookies"]
        names = [cookie["name"] for cookie in cookies if cookie["name"].startswith(prefix)]
        for cookie in cookies:
            if cookie["name"] in names:
                self.devtools("Network.deleteCookies", **{key: cookie[key] for key in ("name", "domain", "path")})
        return names

    def end(self):
        self.call("DELETE", self.session)


def until(what, condition, step=lambda: None, seconds=40):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        step()
        time.sleep(0.1)
    raise RuntimeError(f"{what} did not come within {seconds} s")


class Browser:
    """What a user does with a browser, and what came back for it."""

    LOGIN_PAGE = "#passwordForm #password"

    def __init__(self, driver):
        self.driver, self.answers, self.failures = driver, [], []

    def go(self, url):
        """Loads a page; where the browser shows one of its own instead, `failed` tells why."""
        try:
            self.driver.go(url)
        except RuntimeError as error:
            if "net::ERR_" not in str(error):
                raise

    def has(self, css):
        return self.driver.run("return document.readyState === 'complete' && !!document.querySelector(arguments[0])", css)

    def complete(self):
        return self.driver.run("return document.readyState === 'complete'")

    def title(self):
        return self.driver.run("return document.title")

    def text(self):
        return self.driver.run("return document.body ? document.body.innerText : ''")

    def answered(self, url, status=None):
        """The answers so far for what begins with `url`, as (status, URL)."""
        self._look()
        return [answer for answer in self.answers if answer[1].startswith(url) and status in (None, answer[0])]

    def failed(self):
        """Why pages did not load, so far."""
        self._look()
        return self.failures

    def _look(self):
        for event in self.driver.events():
            kind, seen = event["method"], event["params"]
            response = seen.get("redirectResponse") or seen.get("response")
            if response and kind in ("Network.requestWillBeSent", "Network.responseReceived"):
                self.answers.append((response["status"], response["url"]))
            elif kind == "Network.loadingFailed" and seen["type"] == "Document":
                self.failures.append(seen["errorText"])

    def log_in(self, provider, what, done, password=None, scopes=None, at_login=None):
        """Does what the provider's pages want until `done()`, which tells whether `what` is there.

        `scopes` are those to tick where the user is asked; `at_login` is called once, before the password is sent."""
        waiting = [at_login] if at_login else []

        def step():
            if not waiting:
                self.driver.run(STEP, provider.USER, password or provider.PASSWORD, scopes)
            elif self.has(self.LOGIN_PAGE):
                waiting.pop()()
        try:
            until(what, done, step)
        except RuntimeError as failure:
            raise RuntimeError(f"{failure}; the browser is at {self.driver.address()} {self.failed()}") from failure

    def forget(self, prefix):
        """Deletes the cookies that begin so, on every site; their names."""
        return self.driver.forget(prefix)


def trust(home, certificates):
    """Makes the certificates known to a browser whose home this is."""
    database = f"sql:{home}/.pki/nssdb"
    (home / ".pki" / "nssdb").mkdir(parents=True)
    subprocess.run(["certutil", "-N", "--empty-password", "-d", database], check=True)
    for number, file in enumerate(certificates):
        subprocess.run(["certutil", "-A", "-d", database, "-t", "C,,", "-n", f"trusted {number}", "-i", file], check=True)


@contextlib.contextmanager
def driven(home, environ, name=WITHOUT_WINDOW, **options):
    """The driver of a Chromium with that home and name, started with these options and variables; its profile is chromedriver's
    for as long as it runs."""
    port = free_port()
    service = Service(["chromedriver", f"--port={port}", "--log-level=WARNING"], port, home / "chromedriver",
                      HOME=str(home), **environ)
    service.start()
    driver = Driver(port)
    try:
        driver.begin(binary=str(program(home, name)), **options)
        try:
            yield driver
        finally:
            driver.end()
    finally:
        service.stop()


@contextlib.contextmanager
def opened(state, proxy, trusted=None, more=(), http3=(), key_log=None):
    """A browser with a new profile below `state`, which trusts one authority besides the known ones, and `more`.

    Without `proxy` it speaks to this machine directly, and to nobody else; with these hosts and ports in HTTP/3. The keys of
    its connections are written to `key_log`."""
    home = pathlib.Path(tempfile.mkdtemp(prefix="browser-", dir=state))
    trust(home, ([trusted] if trusted else []) + list(more))
    try:
        environ = {"TMPDIR": str(home), **({"SSLKEYLOGFILE": str(key_log)} if key_log else {})}
        with driven(home, environ, args=flags(proxy, http3)) as driver:
            yield Browser(driver)
    finally:
        end_all_below(home)
        shutil.rmtree(home, ignore_errors=True)


def log_in_and_out(state, app, provider, proxy, proxy_ca, **options):
    with opened(state, proxy, proxy_ca, **options) as browser:
        browser.driver.go(app.page)
        browser.log_in(provider, "the protected page", lambda: browser.has("#inside"))
        return {"title": browser.title(), "after_logout": log_out(browser, app, provider)}


def log_out(browser, app, provider):
    """Logs out at the relying party; where that ends: the provider does not always send the user back."""
    browser.driver.go(app.logout)
    until("the provider's logout", lambda: browser.driver.address().startswith(provider.origin) or browser.has("#bye"))
    return browser.driver.address()
