import Captures
import Flows
import JSON
import OAuth

/// The resource said which token it wants, and the login does not pass that on.
///
/// Without `resource` (RFC 8707, section 2) the provider issues a token for whatever it likes, which then is good
/// elsewhere, too. The authorization of the Model Context Protocol requires the parameter.
struct ResourceIndicatorMissing: Rule {
    static let info = RuleInfo(
        id: "resource-indicator-missing",
        title: "The token is not bound to the resource that asked for it",
        severity: .warning,
        explanation: """
            The login began because a resource answered 401 and described itself. Neither the authorization request nor the token request \
            names that resource, so the provider does not know whom the token is for, and cannot limit it.
            """,
        fix:
            "Send resource=, as the resource's metadata gives it, in the authorization request and in the token request.",
        badExample: """
            GET /.well-known/oauth-protected-resource  → {"resource":"https://tools.example","authorization_servers":[…]}
            GET /authorize?response_type=code&client_id=shop&…
            """,
        goodExample: """
            GET /.well-known/oauth-protected-resource  → {"resource":"https://tools.example","authorization_servers":[…]}
            GET /authorize?response_type=code&client_id=shop&…&resource=https%3A%2F%2Ftools.example
            """,
        specifications: [
            .rfc(8707, "2"),
            SpecificationReference(
                text: "MCP Authorization",
                url: "https://modelcontextprotocol.io/specification/2025-06-18/basic/authorization"
            ),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        let documents = flow.resourceMetadata.filter(\.isUsable)
        guard !documents.isEmpty else { return .holds }
        return Verdict.first(of: flow.loginAttempts) { attempt in
            guard attempt.request != nil, attempt.all("resource").isEmpty,
                let document = documents.last(where: { Self.isCause($0, of: attempt, flow) })
            else { return .holds }
            // Entra reads off the scopes whom the token is for, and refuses a resource beside them that is another string.
            if flow.provider == .entra, Self.namesAPI(attempt["scope"] ?? "") { return .holds }
            if let reason = attempt.hiddenParameters { return .abstains(reason) }
            let requests = attempt.tokenRequests
            guard let request = requests.first, requests.allSatisfy(\.isRecorded) else {
                return .abstains("no token request shows whether it names the resource")
            }
            guard requests.allSatisfy({ !$0.parameters.contains("resource") }) else { return .holds }
            let resource = document.answer.json?["resource"]?.string ?? document.askedResource
            return .violated(
                Violation(
                    [
                        Evidence(
                            place: document.answer.place("resource"),
                            value: Masking.shown(resource, of: "resource")
                        ), attempt.missing("resource"),
                        Evidence(
                            place: Place(exchange: request.exchange, part: .requestBody, name: "resource"),
                            value: "missing"
                        ),
                    ],
                    exchange: attempt.exchange
                )
            )
        }
    }

    /// Whether a scope stands behind the identifier of an API, as `api://…/tools.read`.
    private static func namesAPI(_ scope: String) -> Bool {
        scope.spaceDelimited.contains { $0.utf8.contains(0x2f) }
    }

    /// Whether the document was read, and its resource had refused a request, before the login began.
    private static func isCause(_ document: MetadataDocument, of attempt: LoginAttempt, _ flow: Flow) -> Bool
    {
        let position = flow.surroundings.position
        let start = position[attempt.exchange]
        let resource = RecordedURL(document.answer.json?["resource"]?.string ?? document.askedResource)
        let origins = Set([resource.origin, document.url.origin].compactMap { $0 })
        return position[document.exchange] < start
            && origins.contains { origin in
                flow.surroundings.challenges(of: origin).contains { position[$0.exchange] < start }
            }
    }
}
