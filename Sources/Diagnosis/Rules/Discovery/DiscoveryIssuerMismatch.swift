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
        for misnamed in MisnamedMetadata.all(in: flow) {
            let (document, named) = (misnamed.document, misnamed.named)
            if self.severity(of: misnamed.recorded, flow) == .error { severity = .error }
            if isIssuer(named.value, of: flow) {
                explained = ["id-token-issuer-mismatch", "issuer-param-mismatch"]
            } else if isRefusedForIt(document, flow) {
                severity = .error
                explained = ["callback-rejected-by-app"]
            }
            isShortened = isShortened && misnamed.issuer.isBelow
            isOfService = isOfService && misnamed.issuer.isOfOneSite
            guard found.count < 6 else { continue }
            let asked = document.askedIssuer
            found += [
                misnamed.recorded.urlEvidence,
                Evidence(named, note: Difference.note(expected: asked, seen: NamedIssuer.plain(named.value))),
            ]
        }
        guard !found.isEmpty else {
            return
                (RefusedIssuer.violation(in: flow) ?? IssuerWithSlash.violation(in: flow))
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

    /// Stopped there, or refused later what bears the document's name.
    private func severity(of document: MetadataDocument, _ flow: Flow) -> Severity {
        guard flow.ending != .success else { return .warning }
        let isUsed = document.issuer.map { isIssuer($0, of: flow) } ?? false
        return isUsed && !isRefusedForAnother(flow) || !flow.wentOn(after: document) ? .error : .warning
    }

    /// Whether an ID token is wrong in what a client that does not mind the issuer looks at, or could not be verified.
    private func isRefusedForAnother(_ flow: Flow) -> Bool {
        OtherFindings.idTokensOfAnyIssuer.tell(of: flow) { !$0.isSoftened }
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
