/// A recording that nothing came into: what is behind it, and what to do.
struct EmptyRecording {
    /// Whether the recorder's own page was asked for.
    var hasSeenClients = false
    /// Whether requests were answered by the recorder.
    var hasRefused = false
    /// Host and port at which the browser found nobody to open a page of.
    var unserved: String?
    /// The exit status of a command that ended with another one than 0 by itself, else nil.
    var failed: Int32?
    /// Whether a browser was started that uses the proxy by itself.
    var startsBrowser = false

    var reason: String {
        if hasSeenClients { return "nothing came through but the recorder's own page: no login was begun" }
        if let failed, !hasRefused {
            let browser = unserved.map { ", and nothing listened on \($0)" } ?? ""
            return "nothing came through: the command ended with status \(failed)\(browser)"
        }
        if let unserved {
            return "nothing came through: nothing listened on \(unserved), so the browser was not started"
        }
        return hasRefused
            ? "nothing came through but what the recorder could not use"
            : "nothing came through: does the client use the proxy, also for localhost?"
    }

    /// Nil where the recorder was found, or has told of it.
    var wayOut: String? {
        guard !hasSeenClients, !hasRefused else { return nil }
        guard failed == nil else { return "what the command printed says why; run it by itself first" }
        guard unserved == nil else {
            return "is what serves the page the command behind --, and is the port right?"
        }
        guard !startsBrowser else {
            return "the browser that was started asked for nothing before the end: log in there first"
        }
        let browser = Invocation.command("record", "--browser", "https://app.example/")
        return
            "\(browser) starts a browser that does; for a program that takes no proxy: --reverse ORIGIN=HOST:PORT"
    }
}
