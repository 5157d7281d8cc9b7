"""A headless Chromium, driven through chromedriver's WebDriver interface: log in, look around, log out."""
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
import pathlib

from service import Service, environment, free_port

# What the provider's page in front of us wants. It is a React page: a value counts when its input event is heard.
STEP = """
const [user, password] = arguments;
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
const onward = [...document.querySelectorAll('button.btn-success')].find(visible);
if (onward && !window.hasGoneOn) {
  // The page still asks for the consents when it shows the button.
  window.seen = (window.seen || 0) + 1;
  if (window.seen < 3) return 'waiting';
  window.hasGoneOn = true;
  onward.click();
  return 'went on';
}
return 'waiting';
"""


def flags(home, proxy):
    # Loopback goes through the proxy, too; what the browser itself calls home for is sent past it to nowhere.
    return ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--no-default-browser-check",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
            "--disable-domain-reliability", "--no-pings", "--disable-quic", f"--user-data-dir={home}/profile", "--lang=en",
            "--disable-features=OptimizationHints,MediaRouter,Translate,AutofillServerCommunication,HttpsUpgrades",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
            f"--proxy-server=http://{proxy}", "--proxy-bypass-list=<-loopback>;*.com;*.org;*.net;*.dev;*.goog",
            *(["--no-sandbox"] if os.getuid() == 0 else [])]


class Driver:
    """The few WebDriver calls that are needed."""

    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}"
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with self.opener.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"].splitlines()[0]) from None

    def begin(self, arguments):
        options = {"binary": shutil.which("chromium"), "args": arguments}
        capabilities = {"alwaysMatch": {"browserName": "chrome", "pageLoadStrategy": "eager", "goog:chromeOptions": options}}
        self.session = "/session/" + self.call("POST", "/session", {"capabilities": capabilities})["sessionId"]

    def go(self, url):
        self.call("POST", self.session + "/url", {"url": url})

    def run(self, script, *arguments):
        return self.call("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def address(self):
        return self.call("GET", self.session + "/url")

    def end(self):
        self.call("DELETE", self.session)


def until(what, condition, step=lambda: None, seconds=40):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        step()
        time.sleep(0.2)
    raise RuntimeError(f"{what} did not come within {seconds} s")


def log_in_and_out(state, app, provider, proxy, proxy_ca):
    home = pathlib.Path(tempfile.mkdtemp(prefix="browser-", dir=state))
    database = f"sql:{home}/.pki/nssdb"
    (home / ".pki" / "nssdb").mkdir(parents=True)
    subprocess.run(["certutil", "-N", "--empty-password", "-d", database], check=True)
    subprocess.run(["certutil", "-A", "-d", database, "-t", "C,,", "-n", "recorder", "-i", proxy_ca], check=True)
    port = free_port()
    service = Service(["chromedriver", f"--port={port}", "--log-level=WARNING"], port, home / "chromedriver", HOME=str(home))
    service.start()
    driver = Driver(port)
    try:
        driver.begin(flags(home, proxy))
        try:
            driver.go(app.page)
            has = lambda css: driver.run("return document.readyState === 'complete' && !!document.querySelector(arguments[0])", css)
            until("the protected page", lambda: has("#inside"), lambda: driver.run(STEP, provider.USER, provider.PASSWORD))
            title = driver.run("return document.title")
            driver.go(app.logout)
            until("the provider's logout", lambda: driver.address().startswith(provider.origin) or has("#bye"))
            return {"title": title, "after_logout": driver.address()}
        finally:
            driver.end()
    finally:
        service.stop()
        shutil.rmtree(home, ignore_errors=True)
