import Captures
import Flows
import JSON
import OAuth

/// The metadata was read, and lacks what the login needs next.
///
/// What is needed shows in what the capture asked for, and in what the document itself offers; servers without a browser's part
/// need no authorization endpoint, and plain OAuth metadata no keys.
struct DiscoveryMissingEndpoint: Rule {
    static let info = RuleInfo(
        id: "discovery-missing-endpoint",
        title: "The metadata lacks an endpoint this login needs",
        severity: .errorWhenRefused,
        explanation: """
            The provider's metadata does not name an address that a login of this kind has to call. A client that knows its endpoints from \
            the metadata alone cannot go on there.
            """,
        fix: "Complete the provider's metadata, or configure the missing endpoint in the client by hand.",
        badExample: """
            {"issuer":"https://id.example","authorization_endpoint":"https://id.example/authorize","token_endpoint":"https://id.example/token"}
            """,
        goodExample: """
            {"issuer":"https://id.example",…,"token_endpoint":"https://id.example/token","jwks_uri":"https://id.example/jwks"}
            """,
        specifications: [
            .openIDConnectDiscovery("3", "ProviderMetadata"), .rfc(8414, "2"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        let documents = flow.metadataInForce.filter(\.isUsable)
        guard !documents.isEmpty else { return .holds }
        let use = Use(flow)
        for document in documents {
            let missing = ["authorization_endpoint", "token_endpoint", "jwks_uri"].filter { name in
                // A second document of the same server may complete the first; one that it took the place of does not.
                let isNamed = documents.contains {
                    $0.url.origin == document.url.origin && $0.endpoint(name) != nil
                        && ($0.url.text != document.url.text || !isBefore($0, document, flow))
                }
                return !isNamed && isNeeded(name, of: document, use, flow)
            }
            guard !missing.isEmpty else { continue }
            let isError = missing.contains { stops(at: $0, document, use, flow) }
            let names = document.answer.parameters.items.map(\.name).prefix(60).joined(separator: ", ")
            let guessed = missing.contains("token_endpoint") ? guess(in: flow) : nil
            return .violated(
                Violation(
                    [
                        document.urlEvidence,
                        Evidence(
                            place: document.answer.place(""),
                            value: Masking.shown(names, of: "members"),
                            note: "\(missing.joined(separator: ", ")) missing"
                        ),
                        guessed.map {
                            flow.urlEvidence(of: $0, note: "where the client looked for it instead")
                        },
                    ]
                    .compactMap(\.self),
                    severity: isError ? .error : .warning
                )
            )
        }
        let missed =
            missedByClient(among: documents, flow) ?? UnlistedS256.violation(in: flow)
            ?? registrationMissed(among: documents, flow)
            ?? missedByApp(among: documents, flow) ?? TenantTemplate.violation(in: flow)
        return missed.map { .violated($0) } ?? .holds
    }

    private func isBefore(_ one: MetadataDocument, _ other: MetadataDocument, _ flow: Flow) -> Bool {
        flow.surroundings.position[one.exchange] < flow.surroundings.position[other.exchange]
    }

    // MARK: - Registration

    /// A server that a resource sends clients to and that registers none, where the client asked for nothing more.
    ///
    /// A note: one that has a client_id goes on in a browser, which the capture need not have.
    private func registrationMissed(among documents: [MetadataDocument], _ flow: Flow) -> Violation? {
        let servers = Set(flow.resourceMetadata.flatMap(\.authorizationServers).map(\.withoutSlash))
        guard !servers.isEmpty, flow.ending != .success,
            // Whatever else the flow has was asked for with a client_id.
            flow.messages.allSatisfy({ if case .discovery = $0 { true } else { false } })
        else { return nil }
        let document = documents.last { servers.contains($0.askedIssuer.withoutSlash) }
        guard let document,
            !documents.contains(where: { $0.endpoint("registration_endpoint") != nil }),
            !flow.wentOn(after: document), !flow.isAuthorizationAsked(after: document)
        else { return nil }
        // What takes the place of a registration (OAuth Client ID Metadata Document).
        let isByDocument = documents.contains {
            $0.answer.json?["client_id_metadata_document_supported"] == .bool(true)
        }
        guard !isByDocument, !flow.isServedByResource,
            !flow.isMetadataOfAnother
        else { return nil }
        return Violation(
            [
                document.urlEvidence,
                Evidence(place: document.answer.place("registration_endpoint"), value: "missing"),
                Evidence(
                    place: document.answer.place("client_id_metadata_document_supported"),
                    value: "missing"
                ),
            ],
            severity: .note,
            explanation: """
                The resource sends its clients to this server, which neither registers clients that come by (registration_endpoint) nor takes the URL of a \
                document for a client_id. A client without a client_id of its own cannot go on here, and this one asked for nothing more.
                """,
            fix: """
                Register the client at the server by hand, with the redirect URI that it uses, and give it the client_id (and secret). Where the server is your \
                own, offer registration (RFC 7591) or client ID metadata documents, or put a server that does in front of it.
                """,
            title: "The server registers no clients, and the client stopped there",
            exchange: document.exchange
        )
    }

    // MARK: - What a client misses

    /// A member that the document lacks and that the client's server names in its own error: strict libraries read the metadata into a
    /// type that has all that is required.
    private func missedByClient(among documents: [MetadataDocument], _ flow: Flow) -> Violation? {
        for document in documents where !flow.wentOn(after: document) {
            guard let work = flow.surroundings.failedWork(behind: document.exchange) else { continue }
            let words = PageText.words(of: flow.capture[work].response?.body, limit: 1 << 16)
            guard
                let name = Self.required.first(where: {
                    document.answer.json?[$0] == nil && words.containsBytes($0)
                })
            else { continue }
            return Violation(
                [
                    document.urlEvidence,
                    Evidence(place: document.answer.place(name), value: "missing"),
                    Evidence(
                        place: Place(exchange: work, part: .responseBody, name: ""),
                        value: Masking.shown(Excerpt.around(name, in: words), of: "body"),
                        note: "the client's own words"
                    ),
                ],
                severity: .error,
                explanation: """
                    The client read the metadata and refused them for a member that is not there. OpenID Connect Discovery requires it, \
                    and strict libraries take no document without, whether the login needs it or not.
                    """,
                fix:
                    "Have the provider publish the member, or give the client its endpoints and keys by hand.",
                title: "The metadata lack a member that the client insists on",
                exchange: document.exchange
            )
        }
        return nil
    }

    /// A member that the document lacks, where an app on a device read it and went no further.
    ///
    /// A note: what its library says, it says there, and no login needs the member.
    private func missedByApp(among documents: [MetadataDocument], _ flow: Flow) -> Violation? {
        for document in documents where document.url.path.hasSuffix("/.well-known/openid-configuration") {
            guard let name = Self.required.first(where: { document.answer.json?[$0] == nil }),
                let seen = flow.sighting(ofAppThatStoppedAt: document)
            else { continue }
            return Violation(
                [
                    document.urlEvidence, Evidence(place: document.answer.place(name), value: "missing"),
                    seen,
                ],
                severity: .note,
                explanation: """
                    An app read the metadata and opened no login. OpenID Connect Discovery requires the member that is not there, and \
                    libraries of apps take no document without (AppAuth: "Missing field"), whether the login needs it or not.
                    """,
                fix:
                    "Have the provider publish the member, or give the app its endpoints by hand instead of the issuer.",
                title: "The metadata lack a required member, and the app stopped there",
                exchange: document.exchange
            )
        }
        return nil
    }

    /// What OpenID Connect Discovery, section 3, requires, besides endpoints.
    private static let required = [
        "subject_types_supported", "id_token_signing_alg_values_supported", "response_types_supported",
        "issuer", "jwks_uri",
    ]

    // MARK: - What is needed

    /// What the flow did, read once.
    private struct Use {
        var hasAuthorizationRequest: Bool
        var usesCode: Bool
        var hasTokenRequest: Bool
        var hasDeviceRequest: Bool
        var hasIDToken: Bool
        var hasKeys: Bool

        init(_ flow: Flow) {
            let requests = flow.authorizationRequests
            let tokens = flow.tokenRequests
            hasAuthorizationRequest = !requests.isEmpty
            usesCode =
                requests.contains { ($0.responseType ?? "").spaceDelimited.contains("code") }
                || tokens.contains { $0.isCodeExchange || $0.isRefresh }
            hasTokenRequest = !tokens.isEmpty
            hasDeviceRequest = flow.messages.contains {
                if case .deviceAuthorization = $0 { true } else { false }
            }
            hasIDToken = !flow.idTokens.isEmpty
            hasKeys = flow.keySets.contains { $0.keys != nil }
        }
    }

    private func isNeeded(_ name: String, of document: MetadataDocument, _ use: Use, _ flow: Flow) -> Bool {
        switch name {
        case "authorization_endpoint":
            if use.hasAuthorizationRequest { return true }
            // Device, client credentials and the like go without a browser's redirect.
            guard !use.hasTokenRequest, !use.hasDeviceRequest else { return false }
            let grants = document.list("grant_types_supported") ?? ["authorization_code", "implicit"]
            return grants.contains("authorization_code") || grants.contains("implicit")
        case "token_endpoint":
            if use.usesCode { return true }
            guard !use.hasAuthorizationRequest, !use.hasTokenRequest else { return false }
            // Nobody went on; where all that is offered ends in a code, one was wanted.
            let types = document.list("response_types_supported") ?? []
            let codes = types.count { $0.spaceDelimited.contains("code") }
            // So it was by an app's server that read the document and came to nothing.
            return codes > 0
                && (codes == types.count || flow.surroundings.failedWork(behind: document.exchange) != nil)
        default: return isOpenID(document)
        }
    }

    private func isOpenID(_ document: MetadataDocument) -> Bool {
        document.path.containsBytes("openid-configuration")
    }

    /// Whether the flow ended where the endpoint would have been called.
    private func stops(at name: String, _ document: MetadataDocument, _ use: Use, _ flow: Flow) -> Bool {
        guard flow.ending != .success else { return false }
        guard flow.wentOn(after: document) else { return true }
        switch name {
        case "authorization_endpoint": return !flow.isAuthorizationAsked(after: document)
        case "token_endpoint":
            return flow.ending == .failure && (!use.hasTokenRequest || guess(in: flow) != nil)
        default: return flow.ending == .failure && use.hasIDToken && !use.hasKeys
        }
    }

    /// The first of the flow's token requests, where nothing was at the address of any: some libraries have a path of their own for an
    /// endpoint that they are not told.
    private func guess(in flow: Flow) -> Int? {
        let requests = flow.tokenRequests
        let isNowhere = requests.allSatisfy { request in
            request.answer.error == nil && request.answer.status.map([404, 405].contains) ?? false
        }
        return isNowhere ? requests.first?.exchange : nil
    }
}
