"""A login recorded by one command: `authreel record --browser` starts the browser and the relying party by itself.

Nothing is told where the recorder is: the relying party has the command's environment, the browser has its profile. The
provider runs beside it, as one on the network does."""
import contextlib
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

import authority
import browser
import marionette
import provider
import relying_party
import scenarios
from service import WITH_OWNER, Service, environment, free_port

LIMIT = 150  # seconds, for the whole of a scenario
PATIENCE = 60  # seconds, until the recorder has told how the login went
QUIET = 2  # seconds, in which it must not go on to tell another story
LONGEST = 60  # bytes of the folder's path; the browser has a socket below it, whose path has to fit into 108

# Those with one login, in a browser, with a relying party that is as the recorder has started it.
NAMES = ["login", "login-refresh", "login-form-post", "login-public", "login-implicit", "login-hybrid",
         "client-secret", "redirect-uri", "pkce-not-sent", "scope", "consent-partial", "password", "clock-ahead",
         "clock-behind", "state-cookie", "state-cookie-silent", "state-expired", "form-post-iss", "hybrid-query",
         "callback-replayed", "provider-down"]

# What stands in front of the browser's program: it leaves word of the profile, and opens a way in for us.
CHROMIUM = """#!/bin/sh
for word; do case $word in --user-data-dir=*) echo "${{word#*=}}" > {word}.new ;; esac; done
mv {word}.new {word}
exec {program} --remote-debugging-port=0 "$@"
"""
# Marionette would set preferences of its own, and cover up for some that are missing.
FIREFOX = """#!/bin/sh
for word; do [ "$before" = --profile ] && profile=$word; before=$word; done
cat >> "$profile/user.js" <<'END'
user_pref("marionette.port", 0);
user_pref("remote.prefs.recommended", false);
user_pref("devtools.jsonview.enabled", false);
END
echo "$profile" > {word}.new
mv {word}.new {word}
exec {program} --marionette --remote-allow-system-access "$@"
"""
# Name, text of the wrapper, program, the file in the profile that begins with the port.
BROWSERS = {"chromium": (CHROMIUM, "chromium", "DevToolsActivePort"),
            "firefox": (FIREFOX, "firefox-esr", "MarionetteActivePort")}

TOLD = re.compile(r"^  error (\S+).*← root cause$|^authreel: the login (succeeded|went on and succeeded)", re.MULTILINE)


class Attached(browser.Browser):
    """A browser that is on its first page already. What was answered is asked of the relying party and of the page."""

    def __init__(self, driver, app):
        super().__init__(driver)
        self.app, self.is_new = app, True

    def go(self, url):
        if self.is_new:
            self.is_new = False
            return browser.until(f"the page {url}", self._has_begun)
        super().go(url)

    def _has_begun(self):
        # A page of the browser's own, for an answer without a body, does not always get to `complete`.
        begun = "return document.readyState !== 'loading'"
        return any(self.driver.address().startswith("https:") and self.driver.run(begun) for _ in self.driver.windows())

    def tabs(self):
        return [self.driver.address() for _ in self.driver.windows()]

    def failed(self):
        return []

    def _look(self):
        seen = [(status, url) for status, url in self.driver.answers() if not url.startswith(self.app.origin)]
        self.answers = self.app.answers() + seen


class Stage(scenarios.Stage):
    """The provider is there before; relying party and browser come with the recorder, which is started for the browser."""

    def __init__(self, folder, kind, authreel, ending):
        super().__init__(folder, authority.Authority(folder), None, None, ending)
        self.kind, self.authreel, self.log, self.capture = kind, authreel, folder / "log", folder / "login.har"
        self.temporary, self.home = folder / "t", folder / "home"
        self.child, self.status, self.told, self.tabs = None, None, [], []

    def parties(self, client=None, plugin=None, granted=provider.Provider.SCOPES, **options):
        idp = self.ending.enter_context(provider.Provider(self.folder, self.ca, client, plugin))
        self.app = relying_party.RelyingParty(self.folder, self.ca, idp, **options)
        self.app.prepare()
        idp.register(self.app.redirect_uri, self.app.logged_out, granted)
        return idp, self.app

    @contextlib.contextmanager
    def browser(self):
        try:
            self._record()
            user = Attached(self._driver(), self.app)
            yield user
            self._listen()
            self.tabs = user.tabs()
        except Exception as failure:
            raise RuntimeError(f"{failure}; authreel ({self.child and self.child.poll()}) said:\n{self.text()}") from failure
        finally:
            self._end()

    def text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def self_test(self):
        lines = re.findall(r"^authreel: (browser: .* · backend: .*)$", self.text(), re.MULTILINE)
        return lines[-1] if lines else None

    def left(self):
        """Processes that the recorder started, here still; by what they were told."""
        told = [f"TMPDIR={self.temporary}\0", f"{self.temporary}/", f"{self.app.folder}/"]
        return {process: words for process, words in processes() if any(text in words for text in told)}

    def folders(self):
        return sorted(path.name for path in self.temporary.glob("authreel-run-*"))

    def _listen(self):
        """Waits until it has told how the login went, and adds nothing to that."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.child.poll() is None:
            now = time.monotonic()
            if self._told() != self.told:
                self.told, since = self._told(), now
            if self.told and now - since > QUIET:
                return
            time.sleep(0.1)

    def _record(self):
        # The folder of temporary files is passable, as the system's own is.
        self.temporary.mkdir()
        self.temporary.chmod(0o1777)
        self.home.mkdir()
        wrapper = self._wrapper()
        components = pathlib.Path(__file__).with_name("components")
        command = [sys.executable, components, "relying-party", "--state", self.folder]
        command += [f"--clock={self.app.clock}"] if self.app.clock else []
        argv = [self.authreel, "record", "--out", self.capture, "--ca-dir", self.folder / "ca",
                "--upstream-ca", self.ca.certificate, "--listen", "127.0.0.1:0", "--browser", self.app.page,
                "--browser-program", wrapper, "--headless", "--", *command]
        with open(self.log, "ab") as log:
            self.child = subprocess.Popen(
                [*WITH_OWNER, *map(str, argv)], start_new_session=True, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd=self.folder, env=environment(TMPDIR=str(self.temporary), HOME=str(self.home)))

    def _wrapper(self):
        text, program, _ = BROWSERS[self.kind]
        script = self.folder / self.kind
        script.write_text(text.format(word=shlex.quote(str(self.folder / "profile")), program=shutil.which(program)))
        script.chmod(0o755)
        return script

    def _is_over(self):
        return self.child.poll() is not None

    def _told(self):
        return [rule or ("success" if end == "succeeded" else end) for rule, end in TOLD.findall(self.text())]

    def _port(self):
        """Where the browser lets us in, once it does."""
        if self._is_over():
            raise RuntimeError("it ended before the browser was there")
        with contextlib.suppress(OSError):
            profile = (self.folder / "profile").read_text().strip()
            first = (pathlib.Path(profile) / BROWSERS[self.kind][2]).read_text().partition("\n")[0]
            return int(first) if first.isdigit() else None

    def _driver(self):
        browser.until("the browser", self._port)
        if self.kind == "firefox":
            driver = marionette.Driver(self._port())
            driver.begin()
            self.ending.callback(driver.end)
            return driver
        port = free_port()
        service = Service(["chromedriver", f"--port={port}", "--log-level=WARNING"], port, self.folder / "chromedriver")
        service.start()
        # It stays until the recorder has ended the browser: nobody else does.
        self.ending.callback(service.stop)
        driver = browser.Driver(port)
        driver.begin(debuggerAddress=f"127.0.0.1:{self._port()}")
        return driver

    def _end(self):
        if self.child is None:
            return
        self.child.send_signal(signal.SIGTERM)
        try:
            self.status = self.child.wait(30)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
            self.status = "killed"


def processes():
    """All that run, besides ourselves and those who run us, with arguments and variables."""
    ours, next_one = set(), os.getpid()
    while next_one:
        ours.add(next_one)
        next_one = int(stat(next_one)[1])
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if int(folder.name) not in ours and stat(folder.name)[0] not in "ZX":
                words = (folder / "cmdline").read_bytes() + b"\0" + (folder / "environ").read_bytes() + b"\0"
                yield int(folder.name), words.decode(errors="replace")


def stat(process):
    """State and parent of a process."""
    return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[:2]


def play(name, kind, authreel, state):
    """Runs one scenario in `state`, which has to be new; what authreel told while it recorded, and what it left behind."""
    if len(os.fsencode(state)) > LONGEST:
        raise RuntimeError(f"the path of the folder is longer than {LONGEST} bytes: {state}")
    begun, stages = time.monotonic(), []

    def stage(ending):
        stages.append(Stage(state, kind, authreel, ending))
        return stages[0]
    try:
        seen = scenarios.perform(name, state, stage, LIMIT)
        end = time.monotonic() + 1
        # The system takes a moment to carry out a kill.
        while stages[0].left() and time.monotonic() < end:
            time.sleep(0.05)
        left = [words.replace("\0", " ")[:200] for words in stages[0].left().values()]
    finally:
        for process in stages[0].left() if stages and stages[0].child else ():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
    stage = stages[0]
    return {"scenario": name, "browser": kind, "seconds": round(time.monotonic() - begun, 1), **seen,
            "capture": str(stage.capture), "status": stage.status, "told": stage.told, "self_test": stage.self_test(),
            "tabs": stage.tabs, "left": left, "folders": stage.folders(), "stderr": stage.text()}
