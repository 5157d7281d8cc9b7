import Captures
import Flows
import JOSE
import JSON
import OAuth

/// An app on this machine is called back by the name `localhost` instead of the address.
///
/// The name may lead to another interface, to IPv6, or through somebody's hosts file or firewall (RFC 8252,
/// section 8.3); providers that ignore the port often do so for the address only.
struct LoopbackLocalhost: Rule {
    static let info = RuleInfo(
        id: "loopback-localhost",
        title: "The redirect uses the name `localhost` instead of `127.0.0.1`",
        severity: .note,
        explanation:
            "The app's redirect URI names localhost. It mostly works, but the name can be resolved in other ways than the app's listening socket expects.",
        fix: "Listen on 127.0.0.1 or [::1], and use that very address in the redirect URI.",
        badExample: "redirect_uri=http://localhost:51004/callback",
        goodExample: "redirect_uri=http://127.0.0.1:51004/callback",
        specifications: [.rfc(8252, "8.3"), .rfc(8252, "7.3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for attempt in flow.loginAttempts {
            guard let sent = attempt.parameter("redirect_uri") else { continue }
            let target = RecordedURL(sent.value)
            guard target.host == "localhost", target.explicitPort != nil,
                target.scheme?.lowercased() == "http",
                !ClientKind.isWebApp(at: target.origin, flow),
                // In front of a web app something may speak TLS to the browser, of which the app behind it does not know.
                !ClientKind.isWebApp(
                    at: RecordedURL("https" + sent.value.dropFirst("http".count)).origin,
                    flow
                )
            else { continue }
            return .violated(Violation([Evidence(sent)], exchange: sent.place.exchange))
        }
        return .holds
    }
}
