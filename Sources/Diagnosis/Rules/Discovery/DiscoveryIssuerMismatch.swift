import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The document calls its issuer by another name than the URL it was fetched from.
///
/// A client has to compare the two and stop. Providers that are known to answer with a template or with the name of another of
/// their hosts are left alone, and so is the slash at the end.
struct DiscoveryIssuerMismatch: Rule {
    static let info = RuleInfo(
        id: "discovery-issuer-mismatch",
        title: "The discovery document names another issuer than the one asked",
        severity: .errorWhenRefused,
        explanation: """
            The metadata says that it belongs to another issuer than the one whose URL the client asked. A client has to refuse it, because \
            otherwise one provider could pose as another. Mostly the provider's public address is not the one that clients use.
            """,
        fix: """
            Tell the provider its public address (its base, host name or frontend setting): scheme, host, port and path exactly as clients \
            write them. After a tunnel got a new name, or behind a proxy that ends TLS, that is the setting to look at first.
            """,
        badExample: """
            GET https://id.example/.well-known/openid-configuration → {"issuer":"http://localhost:8080",…}
            """,
        goodExample: """
            GET https://id.example/.well-known/openid-configuration → {"issuer":"https://id.example",…}
            """,
        specifications: [
            .openIDConnectDiscovery("4.3", "ProviderConfigurationValidation"), .rfc(8414, "3.3"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        var found: [Evidence] = []
        var severity = Severity.warning
        var explained: Set<String> = []
        var isShortened = true
        var isOfService = true
        let readRightly = readRightly(in: flow)
        for document in flow.serverMetadata where document.isUsable {
            guard let named = document.answer.parameters.parameter("issuer"),
                !readRightly.contains(Array(named.value.utf8))
            else { continue }
            let issuer = NamedIssuer(named.value, in: document)
            guard issuer.isOther else { continue }
            if self.severity(of: document, flow) == .error { severity = .error }
            if isIssuer(named.value, of: flow) {
                explained = ["id-token-issuer-mismatch", "issuer-param-mismatch"]
            } else if isRefusedForIt(document, flow) {
                severity = .error
                explained = ["callback-rejected-by-app"]
            }
            isShortened = isShortened && issuer.isBelow
            isOfService = isOfService && issuer.isOfOneSite
            guard found.count < 6 else { continue }
            let asked = document.askedIssuer
            found += [
                document.urlEvidence,
                Evidence(named, note: Difference.note(expected: asked, seen: NamedIssuer.plain(named.value))),
            ]
        }
        guard !found.isEmpty else {
            return (refusedByClient(in: flow) ?? templateLeft(in: flow) ?? namedWithSlash(in: flow))
                .map { .violated($0) } ?? .holds
        }
        return .violated(
            Violation(
                found,
                severity: severity,
                explanation: isShortened ? Self.shortened : nil,
                fix: isShortened ? Self.shortenedFix : isOfService ? Self.ofServiceFix : nil,
                explains: explained
            )
        )
    }

    private static let ofServiceFix = """
        Where the provider is a service that has one issuer for all its addresses (Oracle's identity domains), configure the client with that issuer, and with the address of the \
        document or the endpoints beside it, if its library takes both. Where the provider is yours, tell it its public address: scheme, host, port and path exactly as clients write \
        them.
        """

    private static let shortened = """
        The client asked the right server, and the metadata that it got name an issuer further down in its paths: that of a realm, a \
        tenant or an application. A client has to refuse a document whose issuer is not the one that it is configured with, character by \
        character.
        """
    private static let shortenedFix = """
        Configure the client with the issuer as the document names it, path and all; its metadata are under that address, too. Where the \
        provider has several issuers, take the one that this client is registered at.
        """

    /// What the URL that was asked does not tell: the client compares its own setting with the document to the letter, the slash
    /// at the end included, and its server says so.
    private func refusedByClient(in flow: Flow) -> Violation? {
        for document in flow.serverMetadata where document.isUsable && !flow.wentOn(after: document) {
            guard let named = document.answer.parameters.parameter("issuer"),
                let work = flow.surroundings.failedWork(behind: document.exchange)
                    ?? workThatNames(named.value, document, flow)
            else { continue }
            guard let refusal = wordsOfIssuer(in: flow.capture[work], at: work) else {
                guard Self.isTemplate(named.value) else { continue }
                return template(named, document, work, flow)
            }
            return Violation(
                [
                    document.urlEvidence,
                    Evidence(
                        named,
                        note:
                            "compared with the client's setting to the letter, the slash at the end included"
                    ),
                    refusal,
                ],
                severity: .error,
                explanation: """
                    The client read the metadata, and its server refused them for the name of the issuer. It compares the name with the one that it is \
                    configured with, character by character; a slash at the end is enough, which the URL of the document does not show.
                    """,
                fix: "Configure the client with the issuer exactly as the document names it.",
                exchange: document.exchange
            )
        }
        return nil
    }

    /// Metadata whose issuer is but for a slash at the end the server that a resource's own metadata name, where the client stopped.
    private func namedWithSlash(in flow: Flow) -> Violation? {
        guard flow.authorizationRequests.isEmpty, flow.registrations.isEmpty else { return nil }
        // One resource has one document, and a file may have thousands.
        let resources = flow.resourceMetadata.filter(\.isUsable).suffix(20).map {
            (document: $0, servers: Array($0.authorizationServers.prefix(20)))
        }
        for document in flow.serverMetadata.suffix(50)
        where document.isUsable && !flow.wentOn(after: document) {
            guard let named = document.answer.parameters.parameter("issuer") else { continue }
            let isOther = { (server: String) in
                named.value.equalsBytes(of: server + "/") || server.equalsBytes(of: named.value + "/")
            }
            guard !resources.contains(where: { $0.servers.contains(bytesOf: named.value) }),
                let resource = resources.last(where: { $0.servers.contains(where: isOther) }),
                let server = resource.servers.first(where: isOther)
            else { continue }
            return Violation(
                [
                    Evidence(
                        place: resource.document.answer.place("authorization_servers"),
                        value: Masking.shown(server, of: "issuer")
                    ),
                    Evidence(named, note: Difference.note(expected: server, seen: named.value)),
                ],
                severity: .warning,
                explanation: """
                    The resource names its authorization server in one spelling and the server names itself in another, a slash at the end apart. Clients \
                    compare the two to the letter (RFC 8414, section 3.3), as newer ones of MCP do, and this one asked the server for nothing more.
                    """,
                fix: """
                    Write the issuer in the resource's authorization_servers exactly as the server's metadata do. Look at what reads and writes URLs on the \
                    way: some libraries add a slash where an address has no path.
                    """,
                exchange: document.exchange
            )
        }
        return nil
    }

    /// Of captures that were put together, which have no addresses: the failed request of another program meanwhile whose answer
    /// speaks of the issuer and has the document's very name for it.
    private func workThatNames(_ issuer: String, _ document: MetadataDocument, _ flow: Flow) -> Int? {
        let reader = flow.capture[document.exchange].request.headers.first("user-agent")
        return flow.surroundings.failedWork(behind: document.exchange) { other in
            let asked = flow.capture[other]
            guard asked.request.headers.first("user-agent") != reader,
                wordsOfIssuer(in: asked, at: other) != nil
            else { return false }
            let location = asked.response?.location ?? ""
            return PageText.words(of: asked.response?.body, limit: 1 << 16).containsBytes(issuer)
                || RecordedURL(location).queryItems.items.contains { $0.value.containsBytes(issuer) }
        }
    }

    /// The same document, where an app on a device read it and went no further.
    private func templateLeft(in flow: Flow) -> Violation? {
        for document in flow.serverMetadata where document.isUsable {
            guard let named = document.answer.parameters.parameter("issuer"), Self.isTemplate(named.value),
                // Microsoft's own library says who it is, and knows the template.
                !flow.capture[document.exchange].request.headers.contains("x-client-sku"),
                let seen = flow.sighting(ofAppThatStoppedAt: document)
            else { continue }
            return Violation(
                [document.urlEvidence, Evidence(named, note: "a template, and no URL"), seen],
                severity: .warning,
                explanation: """
                    An app read the metadata that Entra has for the users of all tenants, and opened no login. The issuer in them is a template. Libraries that do \
                    not know of that refuse the document; AppAuth on iOS finds that it is no URL ("Invalid URL: issuer"), on Android it takes it.
                    """,
                fix: """
                    Have the app read the metadata of its own tenant (the tenant's id in the place of "common"). Where users of all tenants sign in, give it the \
                    endpoints by hand, or use MSAL, which knows the template.
                    """,
                title: "The issuer in the metadata is a template, and the app stopped there",
                exchange: document.exchange
            )
        }
        return nil
    }

    /// Entra's documents for the users of all tenants have no issuer but a template, which a client that does not know of it refuses.
    private func template(_ named: Parameter, _ document: MetadataDocument, _ work: Int, _ flow: Flow)
        -> Violation
    {
        Violation(
            [
                document.urlEvidence, Evidence(named, note: "a template, and no client's issuer"),
                Evidence(
                    place: Place(exchange: work, part: .responseStatus, name: ""),
                    value: flow.capture[work].response.map { "\($0.status)" } ?? "no answer",
                    note: "the app had read the metadata, and went no further"
                ),
            ],
            severity: .error,
            explanation: """
                The metadata are those for the users of all tenants, and name a template where the issuer belongs. A client that compares the name with its \
                own setting, as it has to, refuses them; this one read them, asked for nothing more, and the app failed.
                """,
            fix: """
                Configure the client with the tenant's own address: https://login.microsoftonline.com/TENANT-ID/v2.0, in place of common or organizations. An \
                app for several tenants needs a library, or a setting, that knows the template and compares each ID token's issuer with its tenant.
                """,
            title: "The metadata for all tenants name no issuer that a client could compare",
            exchange: document.exchange
        )
    }

    private static func isTemplate(_ issuer: String) -> Bool { issuer.containsBytes("{tenantid}") }

    /// Where the app's answer speaks of the issuer.
    private func wordsOfIssuer(in answer: Exchange, at index: Int) -> Evidence? {
        if let location = answer.response?.location {
            let items = RecordedURL(location).queryItems.items
            guard let item = items.first(where: { Self.isOfIssuer($0.value) }) else { return nil }
            return Evidence(
                place: Place(exchange: index, part: .responseLocation, name: item.name),
                value: Masking.shown(item.value, of: item.name)
            )
        }
        let words = PageText.words(of: answer.response?.body, limit: 1 << 16)
        guard Self.isOfIssuer(words) else { return nil }
        return Evidence(
            place: Place(exchange: index, part: .responseBody, name: ""),
            value: Masking.shown(Excerpt.around("issuer", in: words), of: "body")
        )
    }

    /// Whether a sentence says that an issuer is another one than it should be.
    private static func isOfIssuer(_ text: String) -> Bool {
        text.asciiLowercased().split(separator: ". ").map(String.init).contains { sentence in
            sentence.containsBytes("issuer")
                && ["match", "expected", "differ", "unexpected", "invalid issuer"].contains(
                    where: sentence.containsBytes
                )
        }
    }

    /// Stopped there, or refused later what bears the document's name.
    private func severity(of document: MetadataDocument, _ flow: Flow) -> Severity {
        guard flow.ending != .success else { return .warning }
        let isUsed = document.issuer.map { isIssuer($0, of: flow) } ?? false
        return isUsed && !isRefusedForAnother(flow) || !flow.wentOn(after: document) ? .error : .warning
    }

    /// The issuers, in bytes, whose document was read at its own address, too: another program's, or the same request as seen in
    /// front of a balancer.
    private func readRightly(in flow: Flow) -> Set<[UInt8]> {
        let issuers = flow.serverMetadata.compactMap { document -> [UInt8]? in
            guard document.isUsable, let issuer = document.issuer, !NamedIssuer(issuer, in: document).isOther,
                flow.wentOn(after: document)
            else { return nil }
            return Array(issuer.utf8)
        }
        return Set(issuers)
    }

    /// Whether an ID token is wrong in what a client that does not mind the issuer looks at, or could not be verified.
    private func isRefusedForAnother(_ flow: Flow) -> Bool {
        let rules: [any Rule] = [
            IDTokenAudienceMismatch(), IDTokenExpired(), IDTokenNonceMismatch(), IDTokenNonceMissing(),
            IDTokenSignatureInvalid(), IDTokenKidUnknown(), JWKSUnreachable(),
        ]
        return rules.contains { rule in
            guard case .violated(let violation) = flow.verdict(of: rule) else { return false }
            return violation.severity == nil || violation.severity == .error
        }
    }

    /// Whether an ID token or an authorization response of the flow names this issuer.
    private func isIssuer(_ issuer: String, of flow: Flow) -> Bool {
        flow.authorizationResponses.contains { issuer.equalsBytes(of: $0.parameter("iss")?.value) }
            || flow.idTokens.contains { issuer.equalsBytes(of: $0.token.token.issuer) }
    }

    /// Whether the app refused a login whose ID token has the name that the client asked under: it compared that with the
    /// document's.
    private func isRefusedForIt(_ document: MetadataDocument, _ flow: Flow) -> Bool {
        let asked = NamedIssuer.plain(document.askedIssuer)
        let named = flow.idTokens.map { NamedIssuer.plain($0.token.token.issuer ?? "") }
        return named.contains(where: asked.equalsBytes) && !RejectedCallback.all(in: flow).isEmpty
    }
}
