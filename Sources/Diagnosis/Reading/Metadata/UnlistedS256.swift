import Captures
import Flows
import OAuth

/// Metadata that do not say that S256 is taken, at which a client of the Model Context Protocol went no further: it has to
/// refuse them (MCP Authorization, "Authorization Code Protection").
///
/// A note: no endpoint is missing.
enum UnlistedS256 {
    static func violation(in flow: Flow) -> Violation? {
        guard flow.loginAttempts.isEmpty, flow.tokenRequests.isEmpty,
            flow.isOfMCP,
            let document = flow.serverMetadata.last(where: \.isUsable),
            document.endpoint("authorization_endpoint") != nil, !flow.isAuthorizationAsked(after: document),
            !flow.isMetadataOfAnother,
            // Who asks to be registered has taken the metadata.
            !flow.registrations.contains(where: {
                flow.surroundings.position[$0.exchange] > flow.surroundings.position[document.exchange]
            })
        else { return nil }
        let methods = document.list("code_challenge_methods_supported")
        guard !(methods ?? []).contains("S256"),
            document.list("grant_types_supported")?.contains("authorization_code") ?? true
        else { return nil }
        return Violation(
            [
                document.urlEvidence,
                Evidence(
                    place: document.answer.place("code_challenge_methods_supported"),
                    value: methods.map { Masking.shown($0.prefix(12).joined(separator: ", "), of: "list") }
                        ?? "missing",
                    note: "the client read the metadata, and began no login"
                ),
            ],
            severity: .note,
            explanation: """
                The server that was asked first speaks the Model Context Protocol. Its clients have to use PKCE with S256, and have to \
                refuse an authorization server whose metadata do not say that it takes that, be it that it does.
                """,
            fix: """
                Have the authorization server publish "code_challenge_methods_supported": ["S256"]. Where it cannot be changed, put a \
                document of your own in front of it, as gateways for MCP do.
                """,
            title: "The metadata do not say that the provider takes S256",
            exchange: document.exchange
        )
    }
}
