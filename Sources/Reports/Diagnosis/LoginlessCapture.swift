package import Captures
import Diagnosis
import Flows

/// What is said of a capture in which no login was found.
package struct LoginlessCapture {
    private let capture: Capture

    package init(_ capture: Capture) { self.capture = capture }

    /// How much is in it, and why there may be none.
    package func line(named name: String) -> String {
        let among = capture.count == 1 ? "in it" : "among them"
        return
            "\(name.printable): \(capture.count.counted("exchange")), no OAuth or OpenID Connect traffic \(among)"
            + unread + failures
    }

    /// How many requests had no answer, and why the first had none: where nothing else came, that is what is wrong.
    private var failures: String {
        let failed = failed
        guard let first = failed.first, let reason = capture[first].failure else { return "" }
        let many =
            failed.count == 1 ? "1 of them had no answer" : "\(failed.count) of them had no answer, the first"
        let lead = capture.count == 1 ? "it had no answer" : many
        let words = [capture[first].request.url.hostAndPort, reason].compactMap { $0?.printable }
        return "; \(lead): [\(first)] \(words.joined(separator: ": "))"
    }

    private var failed: [Int] {
        capture.indices.filter { !capture[$0].isAnswered && capture[$0].failure != nil }
    }

    /// What to do about a capture without logins; nil where something else is wrong with it, which its line tells.
    ///
    /// That are connections that could not be read, or as many requests without an answer as with one: a few of them are any page's.
    package var advice: String? {
        guard unread.isEmpty, failed.count * 2 < max(capture.count, 1) else { return nil }
        if let unbegun = UnbegunLogin.first(in: capture) { return words(on: unbegun) }
        if capture.isCutShort {
            return
                "the file is cut off, and a login may stand behind that: export or copy it once more, to its end"
        }
        return
            "a login begins with the browser's request to the provider: record from the first click on, in developer tools with "
            + "\"Preserve log\", or with authreel record --browser URL"
    }

    /// The app stopped by itself, and what it asked the provider for is not in a capture of the browser.
    private func words(on login: UnbegunLogin) -> String {
        let exchange = capture[login.exchange]
        let status = exchange.response.map { " with \($0.status)" } ?? ""
        return
            "[\(login.exchange)] \(exchange.request.url.withoutQuery.printable) was answered\(status): "
            + "\"\(login.words.printable)\". The app gave the login up before it sent the browser to the provider: "
            + "its log for this time says why, or record the app's server as well"
    }

    /// How many connections of packets could not be read, in which there may be a login.
    private var unread: String {
        unread(.noKeys, "could not be read, as there were no keys (import --keylog FILE)")
            + unread(
                .notWhole,
                "no key opens, as not all of their packets are in the capture (tcpdump -i any -s 0, begun before the login)"
            )
    }

    private func unread(_ reason: TunnelFacts.Reason, _ words: String) -> String {
        let unread = capture.indices.count { capture[$0].tunnel.reason == reason }
        guard unread > 0 else { return "" }
        let many = unread == 1 ? "1 of them is a connection" : "\(unread) of them are connections"
        let lead = capture.count == 1 ? "it is a connection" : many
        return "; \(lead) that \(words)"
    }
}
