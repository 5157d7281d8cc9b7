import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The ID token is addressed to another client.
///
/// `aud` has to contain the `client_id` of the client that gets the token (OpenID Connect Core, section
/// 3.1.3.7 (3)); a client that accepts another's token lets that client's users in.
struct IDTokenAudienceMismatch: Rule {
    static let info = RuleInfo(
        id: "id-token-audience-mismatch",
        title: "The ID token was made for another client",
        severity: .error,
        explanation:
            "The ID token's aud does not contain the client_id of this login. A client has to refuse a token that was made for another one.",
        fix: """
            Use one client's settings throughout: the client that asks has to be the one that verifies. An app that hands the token to an API \
            should send an access token for that API instead.
            """,
        badExample: """
            GET /authorize?client_id=shop…
            id_token claims {"aud":"shop-mobile", …}
            """,
        goodExample: """
            GET /authorize?client_id=shop…
            id_token claims {"aud":["shop","shop-api"],"azp":"shop", …}
            """,
        specifications: [
            .openIDConnectCore("3.1.3.7 (3)", "IDTokenValidation")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: flow.deliveredIDTokens.filter { !$0.isOfTokenExchange }) { delivered in
            let token = delivered.idToken.token
            guard token.claims != nil else {
                return .abstains(Gap.idTokenClaims)
            }
            // Without any there is a claim missing; one that names nobody is not for this client.
            guard let claim = token.claim("aud"), claim != .null else { return .holds }
            let audience = token.audience.filter { !$0.isEmpty }
            guard !audience.isEmpty || Self.namesNobody(claim) else { return .holds }
            let clients = delivered.clients
            let names = delivered.clientNames(in: flow)
            guard !names.isEmpty else {
                return .abstains(Gap.clientID)
            }
            let authentication = delivered.tokenRequest?.authentication
            guard !audience.contains(where: names.contains(bytesOf:)), !delivered.isAsked(audience),
                !audience.contains(where: { authentication?.isCutAtColon(of: $0) ?? false })
            else { return .holds }
            let near = clients.first.flatMap { client in
                audience.lazy.compactMap { AudienceSpelling(of: $0, client: client.value) }.first
            }
            var evidence = [
                Evidence(
                    place: delivered.idToken.place(ofClaim: "aud"),
                    value: audience.isEmpty
                        ? JSONWriter.text(of: claim).prefix(80).description
                        : Masking.shown(audience.prefix(5).joined(separator: ", "), of: "aud"),
                    note: audience.isEmpty ? "names nobody" : near?.note
                )
            ]
            evidence += clients.prefix(1).map { Evidence($0, note: "the client of this login") }
            return .violated(
                Violation(
                    evidence,
                    explanation: near?.explanation,
                    fix: near?.fix,
                    title: near?.title,
                    exchange: delivered.idToken.place.exchange
                )
            )
        }
    }

    /// Numbers are names that are written wrongly, which clients may take.
    private static func namesNobody(_ claim: JSONValue) -> Bool {
        switch claim {
        case .string, .object: true
        case .array(let elements): elements.allSatisfy { $0.string != nil }
        default: false
        }
    }
}

/// An audience that is not the client_id, and looks like it.
private struct AudienceSpelling {
    private enum Kind {
        /// One name, written in two ways.
        case spelling
        /// Several names in one string.
        case list
        /// One inside of the other.
        case part
    }

    /// What the one has that the other has not.
    var note: String
    private var kind: Kind

    init?(of audience: String, client: String) {
        guard client.utf8.count > 2 else { return nil }
        let difference = Difference(expected: client, seen: audience)
        if difference.isSpelling {
            note = "the client_id, but: \(difference.note)"
            kind = .spelling
        } else if audience.split(whereSeparator: { $0 == " " || $0 == "," }).contains(Substring(client)) {
            note = "several names in one string"
            kind = .list
        } else if audience.containsBytes(client) {
            note = "the client_id with more around it"
            kind = .part
        } else if client.containsBytes(audience), audience.utf8.count * 2 > client.utf8.count {
            note = "a part of the client_id"
            kind = .part
        } else {
            return nil
        }
    }

    var title: String {
        switch kind {
        case .spelling: "The ID token names the client in another spelling"
        case .list: "The ID token has several audiences in one string"
        case .part: "The ID token's audience is not the client_id, but close to it"
        }
    }

    var explanation: String {
        switch kind {
        case .list:
            """
            The ID token's aud is one string with several names in it, of which the client_id is one. A client compares the whole string, finds that it is \
            not meant, and has to refuse the token.
            """
        case .spelling, .part:
            """
            The ID token's aud is not the client_id of this login to the letter: the evidence says in what they differ. A client compares the two byte by \
            byte and has to refuse the token.
            """
        }
    }

    var fix: String {
        switch kind {
        case .list:
            "Have the provider write several audiences as an array of strings (RFC 7519, section 4.1.3)."
        case .spelling:
            """
            Write the client_id in the same way at the provider and in the app, and look for what was copied along (spaces, line ends, quotation marks). Where \
            the provider takes several spellings of an id, use the one that it puts into tokens.
            """
        case .part:
            """
            See which name the provider puts into aud: of this client, or of an API or another client whose name resembles it; a mapper or a setting of the \
            audience may add to the id. The client_id itself has to be in it.
            """
        }
    }
}
