import Captures
import Flows
import OAuth

/// Metadata that came over https sends its readers to plain http.
struct DiscoveryEndpointInsecure: Rule {
    static let info = RuleInfo(
        id: "discovery-endpoint-insecure",
        title: "The metadata points to plain-http endpoints",
        severity: .warning,
        explanation: """
            The provider's metadata was read over https and names endpoints without it. The provider mostly stands behind a proxy that ends \
            TLS, and builds its addresses from the connection that it sees itself.
            """,
        fix: """
            Set the provider's public https address, or let the proxy forward X-Forwarded-Proto and X-Forwarded-Host and the provider trust \
            them.
            """,
        badExample: """
            GET https://id.example/.well-known/openid-configuration → {…,"token_endpoint":"http://id.example/token",…}
            """,
        goodExample: """
            GET https://id.example/.well-known/openid-configuration → {…,"token_endpoint":"https://id.example/token",…}
            """,
        specifications: [
            .rfc(9700, "2.6"),
            .openIDConnectDiscovery("7.1", "TLSRequirements"),
        ]
    )

    private static let names: Set<String> = [
        "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", "end_session_endpoint",
    ]

    func verdict(on flow: Flow) -> Verdict {
        for document in flow.serverMetadata where document.isUsable {
            let asked = document.asAsked(in: flow.capture) ?? document
            guard asked.url.scheme?.lowercased() == "https" else { continue }
            let insecure = document.answer.parameters.items.filter { item in
                let url = RecordedURL(item.value)
                return Self.names.contains(item.name) && url.scheme?.lowercased() == "http"
                    && !url.isOnLoopback
            }
            guard !insecure.isEmpty else { continue }
            return .violated(Violation([document.urlEvidence] + insecure.prefix(10).map { Evidence($0) }))
        }
        return .holds
    }
}
