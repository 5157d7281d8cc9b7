/// What a browser and a client know after a run: cookies, and the values that stand for recorded ones.
package struct RunState: Sendable {
    var values = RunValues()
    var jar = CookieJar()
    /// What a browser with the recorded answers would have.
    var recordedJar = CookieJar()
    /// Cookies up to this mark of the jar are known to the real browser.
    var cookiesInBrowser = 0

    package init() {}
}
