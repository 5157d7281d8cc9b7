import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The private-use scheme of an app is a bare word.
///
/// Any other app can claim it too. A scheme that begins with a domain name of one's own, reversed, says whose
/// it is (RFC 8252, section 7.1).
struct CustomSchemeShort: Rule {
    static let info = RuleInfo(
        id: "custom-scheme-short",
        title: "The private-use scheme is not a reversed domain name",
        severity: .note,
        explanation: """
            The redirect URI uses a scheme without a dot. Nothing keeps another app from registering the same word and receiving the codes; \
            PKCE keeps it from using them.
            """,
        fix: "Use a domain name that you own, reversed, as the scheme, as com.example.app:/callback.",
        badExample: "redirect_uri=myapp://callback",
        goodExample: "redirect_uri=com.example.app:/callback",
        specifications: [.rfc(8252, "7.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for attempt in flow.loginAttempts {
            guard let sent = attempt.parameter("redirect_uri"),
                let scheme = RecordedURL(sent.value).scheme?.lowercased(), !scheme.utf8.contains(0x2e),
                !["http", "https", "urn", "storagerelay"].contains(scheme), !scheme.hasPrefix("msal"),
                !scheme.hasPrefix("msauth")
            else { continue }
            return .violated(
                Violation(
                    [Evidence(sent, note: "the scheme is \(Masking.shown(scheme, of: "scheme"))")],
                    exchange: sent.place.exchange
                )
            )
        }
        return .holds
    }
}
