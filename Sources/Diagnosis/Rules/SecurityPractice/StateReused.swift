import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Two logins of a client carry the same `state`.
///
/// A state that is not fresh for each request no longer ties the response to it (RFC 9700, section 4.7.1). The
/// same request sent again, by a reload or by the provider's own pages, is one login.
struct StateReused: Rule {
    static let info = RuleInfo(
        id: "state-reused",
        title: "The same `state` was used for two logins",
        severity: .warning,
        explanation: """
            Two different logins went to the provider with one state. Whoever has seen it once can use it for a response of their own, and the \
            app cannot tell which of its logins is answered.
            """,
        fix: "Make state anew, at random, for each authorization request, and drop it once it has come back.",
        badExample: """
            GET /authorize?…&state=af0ifjsldkj&nonce=n-0S6_WzA2Mj
            GET /authorize?…&state=af0ifjsldkj&nonce=x-8Zk2LmQp1c
            """,
        goodExample: """
            GET /authorize?…&state=af0ifjsldkj&nonce=n-0S6_WzA2Mj
            GET /authorize?…&state=Qm3x9TzV81b&nonce=x-8Zk2LmQp1c
            """,
        specifications: [.rfc(9700, "4.7.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        guard let reused = ReusedValue.first(of: "state", unlike: ["nonce", "code_challenge"], in: flow)
        else {
            return .holds
        }
        return .violated(Violation(reused.evidence, exchange: reused.second.place.exchange))
    }
}
