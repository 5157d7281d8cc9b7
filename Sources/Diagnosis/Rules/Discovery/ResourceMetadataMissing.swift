import Captures
import Flows
import OAuth

/// A resource refused a request without a word of its metadata, or with the address of one that is not there, and the client looked for
/// it in vain.
///
/// An API whose metadata nobody asked for is none of this rule's business.
struct ResourceMetadataMissing: Rule {
    static let info = RuleInfo(
        id: "resource-metadata-missing",
        title: "The protected resource does not say which authorization server to use",
        severity: .errorWhenRefused,
        explanation: """
            The resource wants a token and does not say where to get one: its refusal names no metadata, and none is served at the places \
            where a client looks for it.
            """,
        fix: """
            Serve the resource's metadata below /.well-known/oauth-protected-resource, with `resource` and `authorization_servers`, and name \
            its URL in the refusal: WWW-Authenticate: Bearer resource_metadata="…".
            """,
        badExample: """
            POST https://tools.example/mcp → 401, WWW-Authenticate: Bearer
            GET  https://tools.example/.well-known/oauth-protected-resource/mcp → 404
            """,
        goodExample: """
            POST https://tools.example/mcp → 401, WWW-Authenticate: Bearer resource_metadata="https://tools.example/.well-known/…"
            GET  that URL → 200 {"resource":"https://tools.example/mcp","authorization_servers":["https://id.example"]}
            """,
        specifications: [.rfc(9728, "3"), .rfc(9728, "5.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let documents = flow.resourceMetadata.filter { !$0.answer.isCancelled }
        if let unnamed = serverUnnamed(in: flow) { return .violated(unnamed) }
        let probed = Dictionary(grouping: documents, by: { $0.url.origin ?? "" })
            .sorted { $0.value[0].exchange < $1.value[0].exchange }
        return Verdict.firstViolation(among: probed) { origin, probes in
            let challenges = flow.surroundings.challenges(of: origin)
            let asked = Set(probes.map(\.url.text))
            // One that nobody looked at is another matter.
            guard !challenges.isEmpty,
                challenges.allSatisfy({ $0.metadata.map { asked.contains($0) } ?? true }),
                !probes.contains(where: \.isUsable), !probes.allSatisfy(\.answer.isExplainedByTransport)
            else { return .holds }
            if probes.contains(where: { isUnseen($0.answer) }) {
                return .abstains("the resource's metadata were not saved")
            }
            let start = probes.map { flow.surroundings.position[$0.exchange] }.min() ?? 0
            guard let refusal = challenges.last(where: { flow.surroundings.position[$0.exchange] < start })
            else { return .holds }
            let isLost = probes.contains { flow.isLost(after: $0) }
            let severity: Severity =
                !isLost && probes.contains { flow.wentOn(after: $0) } || isSignedIn(flow) ? .warning : .error
            let isNamed = challenges.contains { $0.metadata != nil }
            return .violated(
                Violation(
                    evidence(refusal, probes),
                    severity: severity,
                    explanation: isNamed ? Self.named + (severity == .warning ? Self.wentOn : "") : nil,
                    fix: isNamed ? Self.namedFix : nil,
                    explains: Set(
                        (isLost ? ["registration-rejected"] : [])
                            + (isGuessed(origin, flow) ? ["discovery-unreachable"] : [])
                    )
                )
            )
        }
    }

    /// Metadata that a challenge led to, and that name no authorization server, where the client stopped.
    ///
    /// RFC 9728, section 2, leaves the member open; a client that has no server of its own to go to cannot do without.
    private func serverUnnamed(in flow: Flow) -> Violation? {
        guard !isSignedIn(flow), flow.tokenRequests.isEmpty, flow.serverMetadata.isEmpty else { return nil }
        for document in flow.resourceMetadata
        where document.isUsable && document.authorizationServers.isEmpty && !flow.wentOn(after: document) {
            let position = flow.surroundings.position[document.exchange]
            let refusal = flow.surroundings.challenges(of: document.url.origin ?? "")
                .last { flow.surroundings.position[$0.exchange] < position }
            // Who has a token from elsewhere asks nobody for one.
            guard let refusal, !flow.surroundings.isServedLater(refusal) else { continue }
            return Violation(
                evidence(refusal, [document]) + [
                    Evidence(place: document.answer.place("authorization_servers"), value: "missing")
                ],
                severity: .error,
                explanation: """
                    The resource wants a token, and its metadata are there, but do not name the server to get one from. This client asked for nothing more.
                    """,
                fix: """
                    Have the metadata of the resource name its server: "authorization_servers" with the issuer in it (for clients of MCP it is required). Else \
                    give the client its authorization server by hand.
                    """,
                exchange: document.exchange
            )
        }
        return nil
    }

    private func isUnseen(_ answer: Answer) -> Bool {
        answer.isUnseen && !answer.isRefusal || answer.status == 200 && !answer.isBodyRecorded
    }

    /// Whether the client, which knew of no authorization server, looked for one at the resource's own place alone.
    private func isGuessed(_ origin: String, _ flow: Flow) -> Bool {
        !isSignedIn(flow) && flow.serverMetadata.allSatisfy { $0.url.origin == origin }
    }

    private static let named = """
        The resource wants a token and names a URL for its metadata, by which a client is to learn where to get one, and nothing usable is \
        served there.
        """
    private static let wentOn = """
         This client went on with a server that it knew or guessed; one that does neither stops here.
        """
    private static let namedFix = """
        Serve the resource's metadata at the very URL that the refusal names, with `resource` and `authorization_servers`, and without a \
        token. Behind a proxy, look at the path and the host that the resource makes that URL of.
        """

    private func isSignedIn(_ flow: Flow) -> Bool { !flow.authorizationRequests.isEmpty }

    private func evidence(_ refusal: ResourceChallenge, _ probes: [MetadataDocument]) -> [Evidence] {
        [
            Evidence(
                place: Place(exchange: refusal.exchange, part: .requestURL, name: ""),
                value: Masking.shown(refusal.resource.withoutQuery, of: "url"),
                note: "refused with 401"
            ),
            Evidence(
                place: Place(exchange: refusal.exchange, part: .responseHeader, name: "WWW-Authenticate"),
                value: Masking.shown(refusal.text ?? "none", of: "www-authenticate")
            ),
        ]
            + probes.prefix(4).flatMap { [$0.urlEvidence, $0.answer.statusEvidence()] }
    }
}
