import Captures
import Flows
import OAuth

/// A sender that cannot keep a secret: an app on the user's device, or a page.
struct PublicAgent {
    enum Kind {
        case native
        case page
    }

    var kind: Kind
    var evidence: Evidence

    /// Nil for servers, and for what could be one.
    ///
    /// Runtimes of servers send `Origin` or `Sec-Fetch-Mode` too; a page does so with the name of a browser.
    init?(of request: RecordedRequest, at exchange: Int) {
        guard let agent = request.userAgent else { return nil }
        let name = agent.lowercased()
        let place = { (name: String) in Place(exchange: exchange, part: .requestHeader, name: name) }
        if name.hasPrefix("mozilla/"),
            let sign = ["Origin", "Sec-Fetch-Mode", "Sec-Fetch-Site"].first(where: request.headers.contains)
        {
            kind = .page
            evidence = Evidence(
                place: place(sign),
                value: Masking.shown(request.headers.first(sign) ?? "", of: sign),
                note: "sent by a page in a browser"
            )
        } else if UserAgentName.isNativeApp(agent) {
            kind = .native
            evidence = Evidence(
                place: place("User-Agent"),
                value: Masking.shown(agent, of: "user-agent"),
                note: "sent by an app on a device"
            )
        } else {
            return nil
        }
    }
}

extension RecordedRequest {
    /// Whether an app on the user's device sent it, by its name for itself.
    var isByNativeApp: Bool { PublicAgent(of: self, at: 0)?.kind == .native }
}
