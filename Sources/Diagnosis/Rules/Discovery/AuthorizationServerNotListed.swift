import Captures
import Flows
import JSON
import OAuth

/// The login went to another authorization server than those that the resource's metadata lists.
///
/// A document counts where the login is for its resource: by the `resource` asked for, or by a call with the token.
struct AuthorizationServerNotListed: Rule {
    static let info = RuleInfo(
        id: "authorization-server-not-listed",
        title: "The authorization server used is not one the resource names",
        severity: .warning,
        explanation: """
            The resource lists the authorization servers whose tokens it takes, and the login went to another one. The resource will refuse \
            the token, unless its metadata is out of date; a client that was led astray may be under attack.
            """,
        fix: """
            Let the client use a server of the list, taken from the metadata of the very resource it calls, or correct \
            `authorization_servers` in that metadata.
            """,
        badExample: """
            {"resource":"https://tools.example/mcp","authorization_servers":["https://id.example"]}
            GET https://login.other.example/authorize?…&resource=https%3A%2F%2Ftools.example%2Fmcp
            """,
        goodExample: """
            {"resource":"https://tools.example/mcp","authorization_servers":["https://id.example"]}
            GET https://id.example/authorize?…&resource=https%3A%2F%2Ftools.example%2Fmcp
            """,
        specifications: [.rfc(9728, "7.6"), .rfc(9700, "4.4")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let requests = flow.authorizationRequests
        guard let request = requests.first else { return .holds }
        let documents = flow.resourceMetadata.filter { $0.isUsable && !$0.authorizationServers.isEmpty }
        guard !documents.isEmpty else { return .holds }
        let resources = resources(of: flow)
        let issuers = issuers(of: flow)
        for document in documents {
            let named = document.answer.parameters["resource"] ?? document.askedResource
            guard resources.contains(where: { isPart($0.withoutSlash, of: named.withoutSlash) }) else {
                continue
            }
            let listed = document.authorizationServers
            let origins = Set(listed.compactMap { RecordedURL($0).origin })
            let isListed =
                issuers.isEmpty
                ? asked(request, flow)?.origin.map { origins.contains($0) } ?? true
                : listed.contains { server in
                    issuers.contains { $0.issuer.withoutSlash.equalsBytes(of: server.withoutSlash) }
                }
            guard !isListed else { continue }
            let used =
                issuers.first?.evidence
                ?? Evidence(
                    place: Place(exchange: request.exchange, part: .requestURL, name: ""),
                    value: Masking.shown(request.endpoint.text, of: "url")
                )
            return .violated(
                Violation(
                    [
                        Evidence(
                            place: document.answer.place("authorization_servers"),
                            value: Masking.shown(listed.prefix(10).joined(separator: ", "), of: "servers")
                        ), used,
                    ],
                    exchange: request.exchange
                )
            )
        }
        return .holds
    }

    /// Where the login went to, be it over https that a proxy ended; nil where that is not known.
    private func asked(_ request: AuthorizationRequest, _ flow: Flow) -> RecordedURL? {
        request.isUnseen ? request.endpoint : flow.capture[request.exchange].askedURL
    }

    /// What the login is for: resources asked for by name, and those called with its token.
    private func resources(of flow: Flow) -> [String] {
        var found: Set<String> = []
        for message in flow.messages {
            switch message {
            case .authorizationRequest(let request):
                request.parameters.items.filter { $0.name == "resource" }.forEach { found.insert($0.value) }
            case .token(let request):
                request.parameters.items.filter { $0.name == "resource" }.forEach { found.insert($0.value) }
            case .resource(let call): found.insert(call.endpoint.text)
            default: break
            }
        }
        return found.sorted().prefix(200).map { $0 }
    }

    /// The name the server gives itself, and the one it was asked by.
    private func issuers(of flow: Flow) -> [(issuer: String, evidence: Evidence)] {
        flow.serverMetadata.filter(\.isUsable).prefix(50).flatMap { document in
            let named = document.answer.parameters.parameter("issuer").map { ($0.value, Evidence($0)) }
            return [named, (document.askedIssuer, document.urlEvidence)].compactMap { $0 }
        }
    }

    /// The same resource, or something below it.
    private func isPart(_ resource: String, of whole: String) -> Bool {
        resource.equalsBytes(of: whole) || resource.utf8.starts(with: (whole + "/").utf8)
    }
}
