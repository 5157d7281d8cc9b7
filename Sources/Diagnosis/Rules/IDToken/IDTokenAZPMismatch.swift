import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The ID token names another client as the one it was issued to.
///
/// `azp` has to be the client that gets the token (OpenID Connect Core, section 3.1.3.7 (4, 5)). Several audiences
/// without it are worth a note.
struct IDTokenAZPMismatch: Rule {
    static let info = RuleInfo(
        id: "id-token-azp-mismatch",
        title: "The ID token's authorized party is another client",
        severity: .errorWhenRefused,
        explanation: """
            The client of this login is among the ID token's audiences, but its azp claim says that it was issued to another one. A client that \
            checks azp refuses it.
            """,
        fix:
            "Use the settings of one client throughout the login, and let each app get a token of its own instead of handing one on.",
        badExample: """
            GET /authorize?client_id=shop…
            id_token claims {"aud":["shop","shop-api"],"azp":"shop-mobile", …}
            """,
        goodExample: """
            GET /authorize?client_id=shop…
            id_token claims {"aud":["shop","shop-api"],"azp":"shop", …}
            """,
        specifications: [
            .openIDConnectCore("3.1.3.7 (4, 5)", "IDTokenValidation")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        var reason: String?
        var note: Violation?
        for delivered in flow.deliveredIDTokens where !delivered.isOfTokenExchange {
            let token = delivered.idToken.token
            guard token.claims != nil else {
                reason = Gap.idTokenClaims
                continue
            }
            let audience = token.audience
            let names = delivered.clientNames(in: flow)
            guard !names.isEmpty else {
                reason = Gap.clientID
                continue
            }
            guard audience.contains(where: names.contains(bytesOf:)) else { continue }
            let all = Evidence(
                place: delivered.idToken.place(ofClaim: "aud"),
                value: Masking.shown(audience.prefix(5).joined(separator: ", "), of: "aud")
            )
            guard let party = token.claim("azp")?.string else {
                guard audience.count > 1, note == nil else { continue }
                note = Violation(
                    [all, delivered.missing("azp")],
                    severity: .note,
                    explanation:
                        "The ID token has several audiences, and no azp that says which client it was issued to.",
                    exchange: delivered.idToken.place.exchange
                )
                continue
            }
            let others = audience.filter { !names.contains(bytesOf: $0) }
            guard !names.contains(bytesOf: party), !delivered.isAsked(others) else { continue }
            var evidence = [delivered.evidence(ofClaim: "azp"), all]
            evidence += delivered.clients.prefix(1).map { Evidence($0, note: "the client of this login") }
            return .violated(
                Violation(
                    evidence,
                    severity: flow.wentOn(after: delivered) ? .warning : nil,
                    exchange: delivered.idToken.place.exchange
                )
            )
        }
        if let note { return .violated(note) }
        return reason.map { .abstains($0) } ?? .holds
    }
}
