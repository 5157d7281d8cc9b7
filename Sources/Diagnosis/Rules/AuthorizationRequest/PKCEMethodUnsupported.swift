import Captures
import Flows
import JSON
import OAuth

/// The challenge method is not one of those that the provider's metadata lists.
///
/// Names are compared letter by letter: `s256` is not `S256` (RFC 7636, section 4.3). No name is `plain`.
struct PKCEMethodUnsupported: Rule {
    static let info = RuleInfo(
        id: "pkce-method-unsupported",
        title: "The provider does not offer this challenge method",
        severity: .errorWhenRefused,
        explanation: """
            The provider publishes which challenge methods it takes, and the one of this request is not among them. It refuses the request, \
            or ignores the challenge.
            """,
        fix: "Use a method of the list, spelled as it is there: S256 nearly always.",
        badExample: """
            "code_challenge_methods_supported": ["S256"]
            GET /authorize?…&code_challenge=…&code_challenge_method=s256
            """,
        goodExample: """
            "code_challenge_methods_supported": ["S256"]
            GET /authorize?…&code_challenge=…&code_challenge_method=S256
            """,
        specifications: [.rfc(8414, "2"), .rfc(7636, "4.3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        if let violation = unlisted(in: flow) { return .violated(violation) }
        return Verdict.first(of: flow.loginAttempts) { attempt in
            guard attempt["code_challenge"] != nil else {
                return attempt.hiddenParameters.map { .abstains($0) } ?? .holds
            }
            guard let document = flow.metadata(of: attempt) else {
                return unregistered(attempt, flow).map { .violated($0) } ?? .abstains(Gap.metadata)
            }
            let list =
                document.list("code_challenge_methods_supported") ?? []
            let method = attempt.namedChallengeMethod ?? "plain"
            guard !list.isEmpty, !list.contains(method) else { return .holds }
            let respelled = list.first { $0.lowercased() == method.lowercased() }
            return .violated(
                Violation(
                    [
                        attempt.challengeMethodEvidence(
                            note: respelled.map { "in another case: \($0) is meant" }
                        ),
                        Evidence(
                            place: document.answer.place("code_challenge_methods_supported"),
                            value: Masking.shown(list.prefix(12).joined(separator: ", "), of: "list")
                        ),
                    ] + attempt.challengeRefusal,
                    severity: attempt.challengeSeverity(in: flow),
                    exchange: attempt.exchange
                )
            )
        }
    }

    /// Metadata that do not say that S256 is taken, at which a client of the Model Context Protocol went no further: it has to
    /// refuse them (MCP Authorization, "Authorization Code Protection").
    private func unlisted(in flow: Flow) -> Violation? {
        guard flow.loginAttempts.isEmpty, flow.tokenRequests.isEmpty,
            flow.resourceMetadata.contains(where: { $0.isUsable && Self.isOfMCP($0, flow) }),
            let document = flow.serverMetadata.last(where: \.isUsable),
            document.endpoint("authorization_endpoint") != nil, !flow.isAuthorizationAsked(after: document),
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
            severity: .error,
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

    /// Whether the resource that a document is of refused a message of that protocol.
    private static func isOfMCP(_ document: MetadataDocument, _ flow: Flow) -> Bool {
        let resource = RecordedURL(document.answer.json?["resource"]?.string ?? document.askedResource)
        let origins = Set([resource.origin, document.url.origin].compactMap { $0 })
        return origins.contains { origin in
            flow.surroundings.challenges(of: origin).contains { challenge in
                let request = flow.capture[challenge.exchange].request
                return request.headers.contains("mcp-protocol-version")
                    || request.body?.text?.containsBytes("\"jsonrpc\"") ?? false
            }
        }
    }

    /// A method that no provider can have, in a login that was refused: there are two of them (RFC 7636, section 4.3).
    private func unregistered(_ attempt: LoginAttempt, _ flow: Flow) -> Violation? {
        guard let method = attempt.namedChallengeMethod, !Self.methods.contains(method),
            !attempt.challengeRefusal.isEmpty
        else { return nil }
        let meant = Self.methods.first { $0.lowercased() == method.lowercased() }
        return Violation(
            [
                attempt.challengeMethodEvidence(
                    note: meant.map { "in another case: \($0) is meant" } ?? "neither S256 nor plain"
                )
            ] + attempt.challengeRefusal,
            severity: .error,
            explanation: """
                There are two challenge methods, S256 and plain, and their names are compared to the letter. The request names another one, and the \
                provider refused it.
                """,
            fix:
                "Send code_challenge_method=S256, with a capital S, and a challenge that is the base64url of the verifier's SHA-256.",
            title: "No provider has this challenge method",
            exchange: attempt.exchange
        )
    }

    private static let methods = ["S256", "plain"]
}
