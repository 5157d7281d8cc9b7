"""A login in a browser before a display, whose own developer tools export what they saw of it as HAR; and a capture opened in them.

The browser speaks to provider and relying party directly, as it does where somebody opens the tools and exports; only the
relying party's back channel goes through the recorder."""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import authority
import browser
import marionette
import provider
import relying_party
from service import environment

# In the front end of Chromium's tools, which is a page itself. What the panel's export writes goes to us instead of to a file
# that somebody would have to name in a dialog; the rest is its own work.
CHROMIUM_BEGINS = """
const {Settings} = await import('devtools://devtools/bundled/core/common/common.js');
const {ViewManager} = await import('devtools://devtools/bundled/ui/legacy/legacy.js');
Settings.Settings.instance().moduleSetting('network-log.preserve-log').set(true);
await ViewManager.ViewManager.instance().showView('network');
"""
CHROMIUM_EXPORTS = """
const {NetworkPanel} = await import('devtools://devtools/bundled/panels/network/network.js');
const {FileManager} = await import('devtools://devtools/bundled/models/workspace/workspace.js');
const files = FileManager.FileManager.instance();
let text = '';
files.save = async () => ({});
files.append = (url, part) => {
  text += part;
  files.dispatchEventToListeners(FileManager.Events.APPENDED_TO_URL, url);
};
files.close = () => {};
await NetworkPanel.NetworkPanel.instance().networkLogView.exportAll({sanitize: arguments[0]});
for (const name of ['save', 'append', 'close']) delete files[name];
return text;
"""
# As when somebody chooses the file.
CHROMIUM_OPENS = """
const {NetworkPanel} = await import('devtools://devtools/bundled/panels/network/network.js');
const {NetworkLog} = await import('devtools://devtools/bundled/models/logs/logs.js');
NetworkLog.NetworkLog.instance().reset(true);
await NetworkPanel.NetworkPanel.instance().networkLogView.onLoadFromFile(new File([arguments[0]], 'capture.har'));
return NetworkLog.NetworkLog.instance().requests().map(seen => [seen.requestMethod, seen.url(), seen.statusCode]);
"""

# In the browser's own scope. The panel is told to stay at the same list from page to page by a preference.
FIREFOX_BEGINS = """
const {require} = ChromeUtils.importESModule('resource://devtools/shared/loader/Loader.sys.mjs');
const {gDevTools} = require('devtools/client/framework/devtools');
await gDevTools.showToolboxForTab(window.gBrowser.selectedTab, {toolId: 'netmonitor'});
"""
FIREFOX_EXPORTS = """
const {require} = ChromeUtils.importESModule('resource://devtools/shared/loader/Loader.sys.mjs');
const {gDevTools} = require('devtools/client/framework/devtools');
const toolbox = gDevTools.getToolboxForTab(window.gBrowser.selectedTab);
return JSON.stringify(await (await toolbox.getNetMonitorAPI()).getHar(), null, '  ');
"""
FIREFOX_OPENS = """
const {require} = ChromeUtils.importESModule('resource://devtools/shared/loader/Loader.sys.mjs');
const {gDevTools} = require('devtools/client/framework/devtools');
const {panelWin} = await gDevTools.getToolboxForTab(window.gBrowser.selectedTab).selectTool('netmonitor');
const {HarImporter} = panelWin.windowRequire('devtools/client/netmonitor/src/har/har-importer');
const {bindActionCreators} = panelWin.windowRequire('devtools/client/shared/vendor/redux');
const actions = panelWin.windowRequire('devtools/client/netmonitor/src/actions/index');
new HarImporter(bindActionCreators(actions, panelWin.store.dispatch)).import(arguments[0]);
const seen = () => [...panelWin.store.getState().requests.requests.values()];
// They are put on the list a moment later.
for (let time = 0; time < 50 && (!seen().length || seen().some(request => request.status === undefined)); time += 1) {
  await new Promise(done => panelWin.setTimeout(done, 100));
}
return seen().map(request => [request.method, request.url, request.status]);
"""
PREFERENCES = {
    "devtools.netmonitor.persistlog": True, "devtools.jsonview.enabled": False, "network.proxy.type": 0, "marionette.port": 0,
    "browser.shell.checkDefaultBrowser": False, "browser.aboutwelcome.enabled": False, "browser.newtabpage.enabled": False,
    "datareporting.policy.dataSubmissionEnabled": False, "app.normandy.enabled": False, "services.settings.server": "data:,",
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
}


@contextlib.contextmanager
def display():
    """An X display with a number that is free."""
    reads, writes = os.pipe()
    child = subprocess.Popen(["Xvfb", "-displayfd", str(writes), "-nolisten", "tcp", "-screen", "0", "1280x900x24"],
                             pass_fds=[writes], stderr=subprocess.DEVNULL)
    os.close(writes)
    try:
        with os.fdopen(reads) as told:
            yield ":" + told.readline().strip()
    finally:
        child.kill()
        child.wait()


# -- Chromium

class Chromium:
    """Its tools open with each tab; chromedriver takes them for one more window."""

    EXPORTS = {"with-secrets": [False], "sanitized": [True]}

    def __init__(self, home, screen, ca, ending):
        browser.trust(home, [ca.certificate])
        self.driver = ending.enter_context(browser.driven(
            home, {"DISPLAY": screen}, "chromium",
            args=browser.flags(None) + [f"--user-data-dir={home}/profile", "--auto-open-devtools-for-tabs"],
            windowTypes=["other", "page"]))
        self.page = self.tools = None
        browser.until("the developer tools", self._found)

    def _found(self):
        for handle in self.driver.call("GET", self.driver.session + "/window/handles"):
            self._turn(handle)
            address = self.driver.address()
            if address.startswith("devtools:"):
                self.tools = handle
            elif not address.startswith("chrome://omnibox"):
                self.page = handle
        return self.page and self.tools

    def _turn(self, handle):
        self.driver.call("POST", self.driver.session + "/window", {"handle": handle})

    def in_tools(self, script, *arguments):
        self._turn(self.tools)
        try:
            body = {"script": browser.awaited(script), "args": list(arguments)}
            good, value = self.driver.call("POST", self.driver.session + "/execute/async", body)
            if not good:
                raise RuntimeError(f"the developer tools: {value}")
            return value
        finally:
            self._turn(self.page)

    def begin(self):
        """Their page is there before the settings of its panels are."""
        troubles = []

        def has_begun():
            try:
                self.in_tools(CHROMIUM_BEGINS)
                return True
            except RuntimeError as trouble:
                troubles.append(trouble)

        try:
            browser.until("the network panel of the developer tools", has_begun)
        except RuntimeError as late:
            raise late from troubles[-1]

    def export(self, *arguments):
        return self.in_tools(CHROMIUM_EXPORTS, *arguments)

    def open(self, text):
        return self.in_tools(CHROMIUM_OPENS, text)


# -- Firefox

class Firefox:
    """Its tools are the browser's own code, which Marionette lets run."""

    EXPORTS = {"with-secrets": []}

    def __init__(self, home, screen, ca, ending):
        profile = home / "profile"
        profile.mkdir()
        subprocess.run(["certutil", "-N", "--empty-password", "-d", f"sql:{profile}"], check=True)
        subprocess.run(["certutil", "-A", "-d", f"sql:{profile}", "-t", "C,,", "-n", "trusted", "-i", ca.certificate], check=True)
        (profile / "user.js").write_text("".join(
            f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()))
        told = profile / "MarionetteActivePort"
        with open(home / "firefox", "wb") as log:
            child = subprocess.Popen(
                [*browser.WITH_OWNER, "firefox-esr", "--marionette", "--remote-allow-system-access", "--no-remote",
                 "--profile", profile, "about:blank"], stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
                env=environment(DISPLAY=screen, HOME=str(home), MOZ_ENABLE_WAYLAND="0"))
        ending.callback(child.wait, 20)
        ending.callback(child.terminate)
        browser.until("Firefox", lambda: told.exists() and told.read_text().strip().isdigit())
        self.driver = marionette.Driver(int(told.read_text()))
        ending.callback(self.driver.end)
        self.driver.begin()

    def begin(self):
        self.driver.in_browser(FIREFOX_BEGINS)

    def export(self):
        return self.driver.in_browser(FIREFOX_EXPORTS)

    def open(self, text):
        return self.driver.in_browser(FIREFOX_OPENS, text)


BROWSERS = {"chromium": Chromium, "firefox": Firefox}


def export_login(kind, state, proxy, proxy_ca, out, http2=False):
    """Logs in and out with the tools open; `out` gets a HAR for each way in which they can be exported."""
    ca, written = authority.Authority(state), {}
    home = pathlib.Path(tempfile.mkdtemp(prefix="browser-", dir=state))
    with contextlib.ExitStack() as ending:
        ending.callback(shutil.rmtree, home, ignore_errors=True)
        idp = ending.enter_context(provider.Provider(state, ca, http2=http2))
        app = ending.enter_context(relying_party.RelyingParty(state, ca, idp, proxy, proxy_ca, http2=http2))
        idp.register(app.redirect_uri, app.logged_out)
        tools = BROWSERS[kind](home, ending.enter_context(display()), ca, ending)
        tools.begin()
        user = browser.Browser(tools.driver)
        tools.driver.go(app.page)
        user.log_in(idp, "the protected page", lambda: user.has("#inside"))
        after = browser.log_out(user, app, idp)
        out.mkdir(exist_ok=True)
        for name, arguments in tools.EXPORTS.items():
            written[name] = str(out / f"{kind}-{name}.har")
            pathlib.Path(written[name]).write_text(tools.export(*arguments))
        return {"issuer": idp.issuer, "client": idp.CLIENT, "page": app.page, "after_logout": after, "exports": written}


def open_capture(kind, state, capture):
    """What the tools list of a capture that is opened in them: method, URL and status of each request."""
    home = pathlib.Path(tempfile.mkdtemp(prefix="browser-", dir=state))
    with contextlib.ExitStack() as ending:
        ending.callback(shutil.rmtree, home, ignore_errors=True)
        tools = BROWSERS[kind](home, ending.enter_context(display()), authority.Authority(state), ending)
        tools.begin()
        return tools.open(capture.read_text())
