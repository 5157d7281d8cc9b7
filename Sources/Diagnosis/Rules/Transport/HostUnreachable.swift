import Captures
import Flows
import OAuth

/// Nothing answers at the provider's address: no such name, nobody listening, no route.
///
/// A request that was cancelled or blocked says nothing of the provider, and the redirect URI is the app's own.
struct HostUnreachable: Rule {
    static let info = RuleInfo(
        id: "host-unreachable",
        title: "The provider could not be reached",
        severity: .error,
        explanation: """
            A request to the provider ended without any answer: its name is not known where the client runs, nothing listens at its address, \
            or the network does not lead there.
            """,
        fix: """
            Try the address from the very machine that failed. On a device or in a container `localhost` is that device or container itself: \
            use a name that both sides can reach, or a tunnel.
            """,
        badExample: """
            GET http://localhost:8080/realms/shop/protocol/openid-connect/auth?… (from a phone) → no answer, connection refused
            """,
        goodExample: """
            GET https://id.example/realms/shop/protocol/openid-connect/auth?… → 200
            """,
        specifications: [.rfc(6749, "3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let failed = flow.failedRequests(.unreachable)
        return failed.isEmpty ? .holds : .violated(Violation(FailedRequest.evidence(of: failed, in: flow)))
    }
}
