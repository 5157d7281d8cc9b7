import Captures
import Flows
import JSON
import OAuth

/// A protected resource's metadata names another resource than the one the client asked.
///
/// What it has to name is the URL the client was refused at, where that refusal led to the document, else the identifier that the
/// document's own URL is made of.
struct ResourceMetadataMismatch: Rule {
    static let info = RuleInfo(
        id: "resource-metadata-mismatch",
        title: "The protected resource describes itself under another name",
        severity: .errorWhenRefused,
        explanation: """
            The metadata that the resource led the client to belongs to a resource of another name, as far as it says. A client has to \
            discard it then, and has no authorization server to ask for a token.
            """,
        fix: """
            Publish in `resource` the very URL that clients connect to: scheme, host, port and path as they write it, and no slash at the end \
            that is not in it.
            """,
        badExample: """
            POST https://tools.example/mcp → 401, resource_metadata="https://tools.example/.well-known/oauth-protected-resource/mcp"
            GET  that URL → {"resource":"https://tools.example/mcp/",…}
            """,
        goodExample: """
            GET  that URL → {"resource":"https://tools.example/mcp",…}
            """,
        specifications: [.rfc(9728, "3.3"), .rfc(9728, "7.3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for document in flow.resourceMetadata where document.isUsable {
            let position = flow.surroundings.position[document.exchange]
            let challenges = (document.url.origin.map(flow.surroundings.challenges(of:)) ?? [])
                .filter { flow.surroundings.position[$0.exchange] < position }
            let leading = challenges.filter { $0.metadata == document.url.text }
            let named = document.answer.parameters.parameter("resource")
            guard let named, !named.value.isEmpty else {
                return .violated(violation(document, leading.last, nil, flow))
            }
            guard let asked = document.asAsked(in: flow.capture) else { continue }
            // A client that had to find the document by itself knows the resource it was refused at, too.
            let isRight =
                leading.isEmpty && Self.isSame(named.value, asked.askedResource)
                || (leading.isEmpty ? challenges : leading).contains { challenge in
                    flow.capture[challenge.exchange].askedURL.map { isNamed(named.value, $0) } ?? true
                }
            guard !isRight else { continue }
            return .violated(violation(document, leading.last, named, flow))
        }
        return .holds
    }

    /// With the query that the client sent, or without.
    private func isNamed(_ seen: String, _ resource: RecordedURL) -> Bool {
        Self.isSame(seen, resource.withoutQuery)
            || resource.query != nil && Self.isSame(seen, resource.withoutQuery + "?\(resource.query ?? "")")
    }

    /// Equal; of an origin alone the slash does not count, for no client can leave it out of its request.
    private static func isSame(_ seen: String, _ expected: String) -> Bool {
        if seen.equalsBytes(of: expected) { return true }
        let url = RecordedURL(expected)
        let named = RecordedURL(seen)
        // The recorder may write the host and the port in a way of its own.
        if named.host == url.host, named.normalizedWithoutQuery == url.normalizedWithoutQuery,
            named.path.equalsBytes(of: url.path),
            named.query.map(ByteText.init) == url.query.map(ByteText.init)
        {
            return true
        }
        guard url.path.isEmpty || url.path == "/", url.query == nil else { return false }
        return seen == expected + "/" || seen + "/" == expected
    }

    private func violation(
        _ document: MetadataDocument,
        _ challenge: ResourceChallenge?,
        _ named: Parameter?,
        _ flow: Flow
    ) -> Violation {
        let resource = challenge.map { flow.capture[$0.exchange].askedURL ?? $0.resource }
        let expected =
            resource?.withoutQuery ?? (document.asAsked(in: flow.capture) ?? document).askedResource
        let exchange = challenge?.exchange ?? document.exchange
        let asked = Evidence(
            place: Place(exchange: exchange, part: .requestURL, name: ""),
            value: Masking.shown(challenge == nil ? document.url.withoutQuery : expected, of: "url"),
            note: challenge == nil ? "the resource is \(Masking.shown(expected, of: "url"))" : nil
        )
        let seen =
            named.map { Evidence($0, note: Difference.note(expected: expected, seen: $0.value)) }
            ?? Evidence(place: document.answer.place("resource"), value: "absent")
        let isLost = flow.isLost(after: document)
        return Violation(
            [asked, seen],
            severity: flow.wentOn(after: document) && !isLost ? .warning : .error,
            exchange: document.exchange,
            explains: isLost ? ["registration-rejected"] : []
        )
    }
}
