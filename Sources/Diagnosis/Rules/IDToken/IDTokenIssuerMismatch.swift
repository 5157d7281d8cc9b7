import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The ID token names another issuer than the provider's metadata.
///
/// Compared as strings (OpenID Connect Core, section 3.1.3.7 (2)): another scheme, host or path, or a slash at
/// the end, is another issuer.
struct IDTokenIssuerMismatch: Rule {
    static let info = RuleInfo(
        id: "id-token-issuer-mismatch",
        title: "The ID token's issuer is not the provider that was asked",
        severity: .error,
        explanation: """
            The iss claim of the ID token is not the issuer that the provider's metadata names, character by character. A client has to refuse a \
            token of an issuer that it did not ask.
            """,
        fix: """
            Set the provider's public address, and have its proxy say which scheme and host the browser used, so that the tokens and the metadata \
            name one issuer. If the client has the issuer in its settings, write it exactly as the provider does; Auth0's ends with a slash.
            """,
        badExample: """
            GET /.well-known/openid-configuration → {"issuer":"https://id.example/realms/shop", …}
            id_token claims {"iss":"http://id.example/realms/shop", …}
            """,
        goodExample: """
            GET /.well-known/openid-configuration → {"issuer":"https://id.example/realms/shop", …}
            id_token claims {"iss":"https://id.example/realms/shop", …}
            """,
        specifications: [
            .openIDConnectCore("3.1.3.7 (2)", "IDTokenValidation")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        let known = expectations(flow)
        return Verdict.firstViolation(among: flow.deliveredIDTokens) { delivered in
            guard delivered.idToken.token.claims != nil else {
                return .abstains(Gap.idTokenClaims)
            }
            // One without a name for its issuer is told of elsewhere.
            guard let issuer = delivered.idToken.token.issuer else { return .holds }
            guard let expected = known.last else {
                if let said = said(of: issuer, in: flow) {
                    return .violated(
                        Violation(
                            [delivered.evidence(ofClaim: "iss"), said],
                            exchange: delivered.idToken.place.exchange
                        )
                    )
                }
                return .abstains(Gap.metadata)
            }
            let tenant = delivered.idToken.token.claim("tid")?.string
            guard !known.contains(where: { $0.fits(issuer, tenant: tenant) }) else { return .holds }
            return .violated(
                Violation(
                    [
                        delivered.evidence(
                            ofClaim: "iss",
                            note: Difference.note(expected: expected.issuer, seen: issuer)
                        ),
                        Evidence(
                            place: expected.place,
                            value: Masking.shown(expected.issuer, of: "issuer"),
                            note: expected.isStated
                                ? "the provider's issuer" : "the issuer whose metadata was asked for"
                        ),
                    ],
                    exchange: delivered.idToken.place.exchange
                )
            )
        }
    }

    /// The words of an app that refused the token and name the issuer that it is set to, which is another one: those of Go's OpenID
    /// Connect library, which proxies and dashboards show.
    private func said(of issuer: String, in flow: Flow) -> Evidence? {
        RejectedCallback.all(in: flow).suffix(5).lazy.compactMap { callback in
            let body = flow.capture[callback.wording].response?.body
            // In JSON the quotation marks are escaped.
            let text = PageText.words(of: body, limit: 1 << 16).replacing("\\\"", with: "\"")
            guard let start = text.firstRange(of: Self.refusal) else { return nil }
            let names = text[start.upperBound...].prefix(4096)
                .split(separator: "\"", maxSplits: 4, omittingEmptySubsequences: false)
            guard names.count > 3, names[0] == ", expected ", names[2] == " got ", names[3] == issuer,
                names[1] != issuer
            else { return nil }
            return callback.quote(from: Self.refusal, in: flow)
        }.first
    }

    private static let refusal = "issued by a different provider"

    // MARK: - What is expected

    private struct Expectation {
        var issuer: String
        var place: Place
        /// By the document itself; else only its URL is known.
        var isStated: Bool
        /// What was asked for, where the document contradicts its own address: that is told of elsewhere.
        var asked: String?

        func fits(_ seen: String, tenant: String?) -> Bool {
            if seen.equalsBytes(of: issuer) || seen.equalsBytes(of: asked) { return true }
            // The URL of a document does not show whether the issuer ends with a slash (Discovery, section 4).
            if !isStated, seen.equalsBytes(of: issuer + "/") { return true }
            if let tenant, IssuerTemplate.isOne(issuer),
                seen.equalsBytes(of: issuer.replacingBytes(IssuerTemplate.gap, with: tenant))
            {
                return true
            }
            return Self.google.contains(seen) && Self.google.contains(issuer)
        }

        private static let google = ["accounts.google.com", "https://accounts.google.com"]
    }

    private func expectations(_ flow: Flow) -> [Expectation] {
        let stated = flow.issuerDocuments.compactMap { document in
            document.issuer.map { issuer in
                Expectation(
                    issuer: issuer,
                    place: document.answer.place("issuer"),
                    isStated: true,
                    asked: NamedIssuer(issuer, in: document).isOther ? document.askedIssuer : nil
                )
            }
        }
        // These providers serve metadata at addresses that are not below the issuer.
        guard stated.isEmpty, ![.entra, .wso2, .forgerock].contains(flow.provider) else { return stated }
        let asked = flow.messages.compactMap { message -> Expectation? in
            guard case .discovery(let document) = message, !document.isProtectedResource,
                document.answer.json == nil, !document.answer.isBodyWhole,
                document.answer.status.map({ (200..<300).contains($0) || $0 == 304 }) ?? false,
                isNear(document, flow)
            else { return nil }
            return Expectation(
                issuer: document.askedIssuer,
                place: Place(exchange: document.exchange, part: .requestURL, name: ""),
                isStated: false
            )
        }
        if asked.isEmpty { return answered(flow) }
        return Set(asked.map(\.issuer)).count == 1 ? asked : []
    }

    /// What the provider's answers to authorization requests name (RFC 9207, section 2), where no metadata does.
    private func answered(_ flow: Flow) -> [Expectation] {
        // Whoever took the token all the same knows more of it.
        guard !RejectedCallback.all(in: flow).isEmpty else { return [] }
        return flow.authorizationResponses.compactMap { response in
            response.parameters.parameter("iss").flatMap { parameter in
                parameter.value.isEmpty
                    ? nil : Expectation(issuer: parameter.value, place: parameter.place, isStated: true)
            }
        }
    }

    /// Whether the endpoints that are used lie below the address that was asked: nothing else ties a document
    /// that nobody saved to this flow.
    private func isNear(_ document: MetadataDocument, _ flow: Flow) -> Bool {
        flow.messages.contains { message in
            switch message {
            case .authorizationRequest, .token:
                flow.capture[message.exchange].request.url.text.utf8.starts(
                    with: (document.askedIssuer + "/").utf8
                )
            default: false
            }
        }
    }
}
