import Captures
import Flows
import JOSE
import OAuth

/// The evidence of a refused call with an access token, in its order.
struct BearerEvidence {
    var refused: [Evidence]
    var token: Evidence
    var details: [Evidence] = []

    /// Without what the token says of itself.
    init(of call: BearerCall, _ refusal: BearerRefusal) {
        refused = [refusal.evidence, call.address]
        token = Self.token(call.token, refusal)
    }

    var all: [Evidence] { refused + [token] + details }

    /// All of it, with other words beside the token.
    func saying(_ note: String, of token: Parameter) -> [Evidence] {
        refused + [Evidence(token, note: note)] + details
    }

    /// Adds what the token says of itself, and the key that signed it.
    mutating func add(detailsOf call: BearerCall, _ refusal: BearerRefusal, isForItsKey: Bool, _ flow: Flow) {
        details = Self.claims(of: call, flow) + Self.key(of: call, refusal, isForItsKey, flow)
    }

    /// A token as it was sent.
    static func token(_ token: Parameter, _ refusal: BearerRefusal) -> Evidence {
        if token.value == BearerToken.leftOut {
            return Evidence(place: token.place, value: "none", note: "the capture was saved without it")
        }
        guard MissingToken.isOne(token.value) else {
            let scheme = token.place.part == .requestHeader ? token.rawValue.prefix { $0 != " " } : ""
            guard scheme.lowercased() == "token", refusal.isBearerChallenge else { return Evidence(token) }
            return Evidence(
                token,
                note: "sent as `\(scheme)`, and the API asks for the scheme Bearer (RFC 6750, section 2.1)"
            )
        }
        return Evidence(
            place: token.place,
            value: token.value,
            note: "a word in the token's place: the app had no token when it made this call"
        )
    }

    private static func claims(of call: BearerCall, _ flow: Flow) -> [Evidence] {
        guard let token = call.claimsToken else { return [] }
        var evidence: [Evidence] = []
        if let issuer = token.issuer {
            evidence.append(call.evidence(ofClaim: "iss", issuer, note: contradiction(to: issuer, flow)))
        }
        if !token.audience.isEmpty {
            evidence.append(
                call.evidence(ofClaim: "aud", token.audience.prefix(5).joined(separator: ", "))
            )
        }
        if let end = token.expiresAt {
            evidence.append(call.evidence(ofClaim: "exp", Timestamp(statedSeconds: end)?.rfc3339 ?? "\(end)"))
        }
        return evidence
    }

    /// The key that signed the token, where it may be why it was refused.
    private static func key(of call: BearerCall, _ refusal: BearerRefusal, _ isForItsKey: Bool, _ flow: Flow)
        -> [Evidence]
    {
        guard !call.isUserInfo, let key = call.claimsToken?.keyID else { return [] }
        let isPublished = isPublished(key, flow)
        guard isForItsKey || refusal.reasons.isEmpty && isPublished == false else { return [] }
        let evidence = Evidence(
            place: Place(exchange: call.call.exchange, part: .jwtHeader, name: "kid"),
            value: Masking.shown(key, of: "kid"),
            note: isPublished.map {
                $0
                    ? "among the keys that the provider publishes"
                    : "not among the keys that the provider publishes"
            }
        )
        return [evidence]
    }

    /// Whether the key that signed a token is one of the provider's; nil where those were not read in this flow.
    private static func isPublished(_ key: String, _ flow: Flow) -> Bool? {
        let published = flow.keySets.flatMap { $0.keys?.keys ?? [] }
        return published.isEmpty ? nil : published.contains { $0.id == key }
    }

    /// What the metadata of the provider says of a token's issuer, where that is another one.
    private static func contradiction(to issuer: String, _ flow: Flow) -> String? {
        let stated = flow.issuerDocuments.compactMap(\.issuer)
        guard let first = stated.first, !stated.contains(issuer) else { return nil }
        return "the provider's metadata says \(Masking.shown(first, of: "issuer"))"
    }
}
