import Captures
import Flows
import JSON
import OAuth

/// Every try to read the provider's metadata was refused, and no sign-in at that host followed.
///
/// Clients try several forms of the well-known URL; one that is answered is enough. What a rule of the transport explains is left to it.
struct DiscoveryUnreachable: Rule {
    static let info = RuleInfo(
        id: "discovery-unreachable",
        title: "The provider's discovery document could not be read",
        severity: .error,
        explanation: """
            The client asked for the provider's metadata and got an error each time, so it knows no endpoint to go on with. Mostly the issuer \
            it is configured with lacks a part of its path, or has one too many.
            """,
        fix: """
            Open the URL in a browser and correct the issuer until it answers JSON. Parts that are often missing or left over: the realm, \
            tenant or authorization server in the path, and a prefix from an older version of the provider.
            """,
        badExample: """
            GET https://id.example/realms/shpo/.well-known/openid-configuration → 404
            """,
        goodExample: """
            GET https://id.example/realms/shop/.well-known/openid-configuration → 200 {"issuer": …}
            """,
        specifications: [
            .openIDConnectDiscovery("4", "ProviderConfig"), .rfc(8414, "3"),
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        // A resource that describes itself, and not as its own server, is none: clients try their luck there all the same.
        let described = flow.resourceMetadata.filter {
            $0.isUsable && $0.answer.parameters.contains("resource")
        }
        let found = Set(
            flow.surroundings.metadata.lazy.filter { $0.isUsable && !$0.isProtectedResource }
                .compactMap(\.url.origin)
        )
        // Of several a client needs one.
        let servers = described.map {
            $0.authorizationServers.prefix(20).compactMap { RecordedURL($0).origin }
        }
        .filter(found.isDisjoint).joined()
        let resources = Set(described.compactMap(\.url.origin)).subtracting(servers)
        var isUnseen = false
        for (origin, documents) in undescribed(in: flow) where !resources.contains(origin) {
            let isMixed = documents.contains { self.isMixed($0, flow) }
            guard isMixed || !documents.contains(where: { $0.answer.isUnseen && !$0.answer.isRefusal }) else {
                isUnseen = true
                continue
            }
            guard
                documents.allSatisfy({
                    isFailed($0.answer) || leftRedirect($0, flow) != nil || failedEnd(of: $0, flow) != nil
                }),
                !documents.allSatisfy(\.answer.isExplainedByTransport),
                let first = documents.first, !isAsked(after: first, flow)
            else { continue }
            return .violated(violation(documents, isMixed: isMixed, flow).toldOfFront(in: flow))
        }
        return isUnseen ? .abstains("the answer that may hold the metadata is not in the capture") : .holds
    }

    /// The metadata that were asked for at each origin and tell of no server, by the first time that an origin was asked.
    private func undescribed(in flow: Flow) -> [(origin: String, documents: [MetadataDocument])] {
        var byOrigin: [String: [MetadataDocument]] = [:]
        var order: [String] = []
        for document in flow.serverMetadata {
            guard let origin = document.url.origin,
                !flow.surroundings.latest.isDescribed(document),
                !document.answer.isCancelled || isMixed(document, flow)
            else { continue }
            if byOrigin[origin] == nil { order.append(origin) }
            byOrigin[origin, default: []].append(document)
        }
        return order.map { ($0, byOrigin[$0] ?? []) }
    }

    private func violation(_ documents: [MetadataDocument], isMixed: Bool, _ flow: Flow) -> Violation {
        let isCut = documents.contains(where: \.answer.isBrokenOff)
        let ends = documents.compactMap { failedEnd(of: $0, flow) }
        let isDown = (documents.map(\.answer) + ends).contains { ($0.status ?? 0) >= 500 }
        let setting = MissetIssuer(asking: documents)
        let redirects = documents.compactMap { leftRedirect($0, flow) }
        let known = documents.lazy.compactMap { said($0, flow)?.meaning }.first
        let named = documents.lazy.compactMap { document in
            document.answer.error?.description.flatMap { ProviderWords.meaning(of: $0, by: flow.provider) }
        }.first
        let other = setting?.fix ?? named?.fix ?? Self.hints[flow.provider]
        let explanation =
            isMixed
            ? Self.mixed
            : isCut ? Self.cut : isDown ? Self.down : setting?.explanation ?? known?.explanation
        return Violation(
            evidence(documents, flow) + evidence(ofEnds: ends, besides: documents, flow) + redirects,
            explanation: redirects.isEmpty ? explanation : Self.redirected,
            fix: redirects.isEmpty
                ? isMixed
                    ? Self.mixedFix
                    : isCut ? Self.cutFix : isDown ? Self.downFix : other ?? known?.fix
                : Self.redirectedFix
        )
    }

    /// Whether a browser was sent to sign in there all the same; at another realm of the same server it says nothing of this one.
    private func isAsked(after document: MetadataDocument, _ flow: Flow) -> Bool {
        guard flow.isAuthorizationAsked(after: document) else { return false }
        // Of a login's own flow the two belong together.
        guard flow.authorizationRequests.isEmpty else { return true }
        let position = flow.surroundings.position[document.exchange]
        return !flow.surroundings.latest.isAskedAtOtherRealms(than: document, after: position)
    }

    /// Whether a page that came by https asked for it by plain http, which browsers hold back unless it is for their own machine; the same
    /// host may have been asked by https as well.
    private func isMixed(_ document: MetadataDocument, _ flow: Flow) -> Bool {
        let headers = flow.capture[document.exchange].request.headers
        guard document.answer.status == nil, document.url.scheme == "http",
            let host = document.url.host, !LoopbackHost.isLoopback(host),
            let page = headers.first("origin") ?? headers.first("referer")
        else { return false }
        return RecordedURL(page).scheme == "https"
            && !flow.surroundings.metadata.contains {
                $0.isUsable && $0.url.scheme == "https" && $0.url.host == host
            }
    }

    private func isFailed(_ answer: Answer) -> Bool {
        answer.status.map { $0 >= 400 } ?? true || answer.isBrokenOff && answer.json == nil
    }

    /// Where an answer sends the client, which did not go there; nil where it did, or was sent nowhere.
    private func leftRedirect(_ document: MetadataDocument, _ flow: Flow) -> Evidence? {
        guard let status = document.answer.status, (300..<400).contains(status),
            let location = flow.capture[document.exchange].response?.location,
            flow.surroundings.landings(of: document.exchange).isEmpty
        else { return nil }
        return Evidence(
            place: Place(exchange: document.exchange, part: .responseLocation, name: ""),
            value: Masking.shown(document.url.resolving(location).withoutQuery, of: "url"),
            note: "never asked for"
        )
    }

    /// The error, or the missing answer, in which redirects ended that the client followed, at no other server's metadata; nil where they
    /// ended in none.
    private func failedEnd(of document: MetadataDocument, _ flow: Flow) -> Answer? {
        let end = document.endOfRedirects(in: flow)
        let isKnown = flow.surroundings.messages[end] != nil
        guard end != document.exchange,
            !isKnown || flow.capture[end].request.url.origin == document.url.origin
        else { return nil }
        let answer = Answer(of: flow.capture[end], at: end)
        // What throttles is told as that, and so is a connection that failed, where the address is known for the provider's.
        guard answer.status != 429, !isKnown || !answer.isExplainedByTransport,
            answer.status.map({ $0 >= 400 }) ?? (!answer.isUnseen && !answer.isCancelled)
        else { return nil }
        return answer
    }

    private func evidence(ofEnds ends: [Answer], besides documents: [MetadataDocument], _ flow: Flow)
        -> [Evidence]
    {
        var known = Set(documents.map(\.exchange))
        return ends.filter { known.insert($0.exchange).inserted }.prefix(6).flatMap {
            [flow.urlEvidence(of: $0.exchange, note: "where the redirect led"), $0.statusEvidence()]
        }
    }

    /// What a server says that is known for it, in a member of its own or as all of its answer, which is no error of OAuth's.
    private func said(_ document: MetadataDocument, _ flow: Flow) -> (
        evidence: Evidence, meaning: Violation.Words
    )? {
        guard document.answer.isRefusal, document.answer.error == nil else { return nil }
        let member = document.answer.json?["message"]?.string
        let body = flow.capture[document.exchange].response?.body
        guard let words = member ?? body.flatMap({ $0.isPage || ($0.size ?? 0) >= 512 ? nil : $0.text }),
            let meaning = ProviderWords.meaning(of: words, by: flow.provider, isMessage: true)
        else { return nil }
        let place = document.answer.place(member == nil ? "" : "message")
        return (Evidence(place: place, value: Masking.shown(Excerpt.start(of: words), of: "body")), meaning)
    }

    private func evidence(_ documents: [MetadataDocument], _ flow: Flow) -> [Evidence] {
        documents.eachOnce(by: \.url.text).prefix(6).flatMap { document in
            var evidence = [document.urlEvidence, document.answer.statusEvidence()]
            if document.answer.error != nil {
                evidence.append(document.answer.evidence())
            } else if let said = said(document, flow) {
                evidence.append(said.evidence)
            }
            if document.answer.isBrokenOff, let words = document.answer.failure {
                evidence.append(Evidence(place: document.answer.place(""), value: Excerpt.start(of: words)))
            }
            return evidence
        }
    }

    private static let mixed = """
        A page that came by https asked for the provider's metadata by plain http, which is how the issuer that it is set to begins. Browsers hold such a request back (mixed content): the \
        provider was never asked.
        """
    private static let mixedFix = """
        Serve the provider by https and give the page its https address for issuer or authority. Where a proxy in front of it ends TLS already, the page's setting alone is to be changed, and the \
        provider has to be told its public address, so that issuer and endpoints in its metadata begin with https, too.
        """

    private static let cut = """
        The client asked for the provider's metadata, and the answer broke off before it was whole, so it knows no endpoint to go on with.
        """
    private static let cutFix = """
        Look at the log of the provider, and of the gateway or TLS proxy in front of it, at this time: a limit of time or size ends an answer like this.
        """
    private static let down = """
        The client asked for the provider's metadata and got an error of the server's own, so it knows no endpoint to go on with. The \
        provider is down, or the gateway in front of it does not reach it.
        """
    private static let downFix = """
        Look at the provider's log, and at the gateway's for 502, 503 and 504. Open the URL in a browser until it answers JSON; a client that \
        reads the metadata at each start should try again.
        """

    private static let redirected = """
        The client asked for the provider's metadata, was sent to another address, and did not go there, so it knows no endpoint to go on with. \
        Many clients follow no redirect here: the metadata have to be at the address of the issuer itself.
        """
    private static let redirectedFix = """
        If the address that the redirect names is the right one, set the client to that issuer (scheme, host, port and path). If it is not, \
        tell the provider the address by which clients reach it: its base URL, host or server name.
        """
    /// Where the path of the issuer goes wrong at single products.
    private static let hints: [ProviderKind: String] = [
        .keycloak:
            "Check the realm's name in the issuer, its case included, and the prefix: Keycloak before 17 has /auth before /realms, later ones do not.",
        .okta:
            "Check the issuer: a custom authorization server of Okta has its id in the path, as /oauth2/default.",
        .forgerock:
            "Check the issuer: it ends in the realm's path, as /am/oauth2/realms/root/realms/alpha.",
        .wso2: "Check the issuer: the document is below /oauth2/token, or below /t/TENANT/oauth2/token.",
        .curity: "Check the issuer: it ends in the profile's anonymous path, as /oauth/v2/oauth-anonymous.",
        .entra:
            "Check the tenant in the issuer: its id, its domain, or one of common, organizations, consumers.",
    ]
}
