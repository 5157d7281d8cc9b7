"""A running Firefox, driven through Marionette: the calls of browser.Driver that need no DevTools."""
import json
import socket
import time

import browser

# What is said of a page that goes away while it is asked: the next one is to be asked instead. A page whose process has just
# been changed for another has no room for a script, which is told as memory that ran out.
PASSING = ("AbortError", "discarded", "unloaded", "browsingContext is null", "can't access dead object", "no such window",
           "NS_ERROR_OUT_OF_MEMORY", "NS_ERROR_NOT_INITIALIZED", "NS_ERROR_NOT_AVAILABLE")

COOKIES = """
const [prefix] = arguments;
const lost = Services.cookies.cookies.filter(cookie => cookie.name.startsWith(prefix));
for (const cookie of lost) Services.cookies.remove(cookie.host, cookie.name, cookie.path, cookie.originAttributes);
return lost.map(cookie => cookie.name);
"""


# The page itself where its answer had no body: an error page of the browser's own is there then.
FAILED = """
const channel = window.docShell.failedChannel;
return channel instanceof Ci.nsIHttpChannel ? [[channel.responseStatus, channel.URI.spec]] : [];
"""


class Driver:
    """A session; messages are `LENGTH:[0, NUMBER, COMMAND, PARAMETERS]` and `LENGTH:[1, NUMBER, ERROR, RESULT]`."""

    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port), 30)
        self.stream, self.number = self.connection.makefile("rb"), 0
        self._receive()

    def begin(self):
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {"pageLoadStrategy": "eager"}})

    def call(self, command, **parameters):
        self.number += 1
        message = json.dumps([0, self.number, command, parameters]).encode()
        self.connection.sendall(b"%d:%s" % (len(message), message))
        _, number, error, result = self._receive()
        if error or number != self.number:
            raise RuntimeError(f"{command}: {error}")
        return result["value"] if isinstance(result, dict) and "value" in result else result

    def _receive(self):
        length = b""
        while not length.endswith(b":"):
            byte = self.stream.read(1)
            if not byte:
                raise RuntimeError("the browser is gone")
            length += byte
        return json.loads(self.stream.read(int(length[:-1])))

    def _settled(self, command, **parameters):
        for attempt in range(20):
            try:
                return self.call(command, **parameters)
            except RuntimeError as error:
                if attempt == 19 or not any(words in str(error) for words in PASSING):
                    raise
            time.sleep(0.2)

    def go(self, url):
        self.call("WebDriver:Navigate", url=url)

    def run(self, script, *arguments):
        return self._settled("WebDriver:ExecuteScript", script=script, args=list(arguments))

    def address(self):
        return self._settled("WebDriver:GetCurrentURL")

    def answers(self):
        own = self._settled("WebDriver:ExecuteScript", script=FAILED, args=[], sandbox="system")
        return self.run(browser.ANSWERS) + own

    def windows(self):
        """Goes to one window after another."""
        for window in self.call("WebDriver:GetWindowHandles"):
            self.call("WebDriver:SwitchToWindow", handle=window)
            yield

    def in_browser(self, script, *arguments):
        """What a script returns that runs in the browser's own scope, and may wait there."""
        self.call("Marionette:SetContext", value="chrome")
        try:
            good, value = self._settled("WebDriver:ExecuteAsyncScript", script=browser.awaited(script), args=list(arguments))
        finally:
            self.call("Marionette:SetContext", value="content")
        if not good:
            raise RuntimeError(f"the browser: {value}")
        return value

    def forget(self, prefix):
        # From the browser's own side: a page sees the cookies of its own site only.
        return self.in_browser(COOKIES, prefix)

    def end(self):
        self.connection.close()
