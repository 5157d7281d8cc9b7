import Captures
import Flows
import OAuth

/// A code or refresh token that was brought to the token endpoint of another tenant, or of another policy, than it was given out by, as Entra or
/// Azure AD B2C says.
struct OtherTenantsGrant {
    let words: Violation.Words
    private let request: TokenRequest

    /// Nil of a refusal that says no such thing.
    init?(_ request: TokenRequest) {
        let text = request.answer.errorText
        if request.code != nil, text.containsBytes("aadsts700005") {
            words = Self.tenant
        } else if text.containsBytes("aadb2c90088") {
            words = request.isRefresh ? Self.policyOfToken : Self.policyOfCode
        } else {
            return nil
        }
        self.request = request
    }

    /// The first of a flow whose two endpoints are in the capture and differ.
    static func violation(in flow: Flow) -> Violation? {
        for request in flow.tokenRequests {
            guard let grant = OtherTenantsGrant(request), let source = grant.source(in: flow),
                place(of: source.url) != place(of: request.endpoint)
            else { continue }
            return Violation(
                [
                    Evidence(
                        place: Place(exchange: source.exchange, part: .requestURL, name: ""),
                        value: Masking.shown(source.url.text, of: "url"),
                        note: request.isRefresh ? "where the token was given" : "where the code was given"
                    ), grant.evidence, request.answer.evidence(),
                ],
                saying: grant.words,
                exchange: request.exchange
            )
        }
        return nil
    }

    /// Where it was brought to.
    var evidence: Evidence {
        Evidence(
            place: Place(exchange: request.exchange, part: .requestURL, name: ""),
            value: Masking.shown(request.endpoint.text, of: "url"),
            note: request.isRefresh ? "where it was shown" : "where it was exchanged"
        )
    }

    /// The endpoint that gave it out; nil where nobody saw that.
    private func source(in flow: Flow) -> (url: RecordedURL, exchange: Int)? {
        if request.isRefresh {
            return flow.refreshHistory.issuer(of: request).map { ($0.endpoint, $0.exchange) }
        }
        let login = flow.askedLogins.first { $0.tokenRequests.contains { $0.exchange == request.exchange } }
        return login.map { ($0.request.endpoint, $0.request.exchange) }
    }

    /// What tells tenants and policies apart: the path in front of its part for the protocol, and a parameter.
    private static func place(of url: RecordedURL) -> [String] {
        url.path.lowercased().split(separator: "/").prefix { $0 != "oauth2" }.map(String.init)
            + [url.queryItems.first("p")?.lowercased() ?? ""]
    }

    // MARK: - Words

    private static let tenant = Violation.Words(
        title: "The code was exchanged at another tenant",
        explanation:
            "The code is of another tenant than the token endpoint that it was brought to: the part of the address behind the host names the tenant.",
        fix: """
            Take the authorization and the token endpoint of one tenant's metadata. With common or organizations in the address, exchange the code \
            there, or at the tenant of the user who signed in.
            """
    )

    private static let policyOfCode = Violation.Words(
        title: "The code was brought to the token endpoint of another policy",
        explanation: policy,
        fix: policyFix
    )
    private static let policyOfToken = Violation.Words(
        title: "The refresh token was brought to the token endpoint of another policy",
        explanation: policy,
        fix: policyFix
    )
    private static let policy = """
        Each policy (user flow) of Azure AD B2C has a token endpoint of its own, told apart by a part of the path or by the parameter p, and takes only \
        what was given out under it. An app that sends its user on to another policy (edit profile, reset of the password) and exchanges the code under \
        the one of its configuration is refused so.
        """
    private static let policyFix = """
        Exchange the code, and refresh, at the token endpoint of the policy that the login began with. Its name stands in the tokens as well (tfp or acr); \
        keep it with the state.
        """
}
