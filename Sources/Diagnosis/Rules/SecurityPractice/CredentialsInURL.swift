import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A secret of the client stands in a URL.
///
/// `client_secret` must not be in the request URI (RFC 6749, section 2.3.1); a client assertion or a code
/// verifier is no better off there, and neither is a name and password before the host.
struct CredentialsInURL: Rule {
    static let info = RuleInfo(
        id: "credentials-in-url",
        title: "The client secret travels in a URL",
        severity: .warning,
        explanation: """
            What proves who the client is stands in a URL, which servers and proxies write into their logs. It has to be taken for known to \
            everybody who reads those.
            """,
        fix:
            "Send it in the form of the POST or, for a client secret, in the Authorization header; then replace the secret.",
        badExample: "POST /token?client_id=shop&client_secret=…",
        goodExample: """
            POST /token
            grant_type=authorization_code&client_id=shop&client_secret=…
            """,
        specifications: [.rfc(6749, "2.3.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var evidence = URLSecrets.find(
            in: flow,
            named: ["client_secret", "client_assertion", "code_verifier"]
        )
        for exchange in flow.exchanges where evidence.count < 6 {
            guard let found = userInformation(flow.capture[exchange].request.url, exchange) else { continue }
            evidence.append(found)
            break
        }
        guard !evidence.isEmpty else { return .holds }
        let isVerifierAlone = evidence.allSatisfy { $0.place.name == "code_verifier" }
        return .violated(
            Violation(
                evidence,
                fix: isVerifierAlone ? "Send it in the form of the POST." : nil,
                title: isVerifierAlone ? "The PKCE verifier travels in a URL" : nil
            )
        )
    }

    /// `name:password` before the host.
    private func userInformation(_ url: RecordedURL, _ exchange: Int) -> Evidence? {
        guard let authority = url.authority, let at = authority.utf8.lastIndex(of: 0x40) else { return nil }
        let part = String(authority[..<at])
        guard let colon = part.utf8.firstIndex(of: 0x3a) else { return nil }
        let password = String(part[part.utf8.index(after: colon)...])
        guard !password.isEmpty else { return nil }
        return Evidence(
            place: Place(exchange: exchange, part: .requestURL, name: ""),
            value: Masking.masked(password),
            note: "a password before the host \(Masking.shown(url.host ?? "", of: "host"))"
        )
    }
}
