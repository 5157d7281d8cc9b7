import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The ID token carries another `nonce` than the login sent.
///
/// It ties the token to the login (OpenID Connect Core, section 3.1.3.7 (11)); another value means a replayed
/// token, or two logins that share one place to keep their nonce. A refresh brings none, or the first one's,
/// and is not judged.
struct IDTokenNonceMismatch: Rule {
    static let info = RuleInfo(
        id: "id-token-nonce-mismatch",
        title: "The ID token's nonce is not the one that was sent",
        severity: .error,
        explanation: """
            The login sent a nonce, and the ID token that came of it carries another one. The client cannot tell that the token was made for \
            this login and has to refuse it.
            """,
        fix: """
            Keep one nonce per login, found by its state; two tabs that share a slot overwrite one another's. Make sure that the token answer is \
            the one of this login and not a cached one.
            """,
        badExample: """
            GET /authorize?…&nonce=n-0S6_WzA2Mj
            id_token claims {"nonce":"n-7hV_QpB9Ks", …}
            """,
        goodExample: """
            GET /authorize?…&nonce=n-0S6_WzA2Mj
            id_token claims {"nonce":"n-0S6_WzA2Mj", …}
            """,
        specifications: [
            .openIDConnectCore("3.1.3.7 (11)", "IDTokenValidation")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: flow.deliveredIDTokens) { delivered in
            guard !delivered.isOfRefresh, !delivered.isOfTokenExchange else { return .holds }
            guard let claims = delivered.idToken.token.claims else {
                return .abstains(Gap.idTokenClaims)
            }
            // A null is a claim that is missing, of which a rule of its own tells.
            guard let claim = claims["nonce"], claim != .null else { return .holds }
            if let handed = delivered.handed {
                let violation = handed.nonce.flatMap { judge(claim, delivered, $0, flow) }
                return violation.map { .violated($0) } ?? .holds
            }
            guard let login = delivered.login else {
                return .abstains(Gap.authorizationRequest)
            }
            // A code that is not this login's brings a token that is not, either; that is told elsewhere.
            guard let sent = login.request.parameters.parameter("nonce"), !sent.value.isEmpty,
                delivered.isCertain(of: login, in: flow)
            else { return .holds }
            let violation =
                judge(claim, delivered, sent, flow) ?? lostPlus(claim, delivered, login, sent, flow)
            return violation.map { .violated($0) } ?? .holds
        }
    }

    /// A nonce that was sent with a bare plus, which a query has for a space: the token brings the space, and the app that compares it
    /// with what it meant refused the login.
    private func lostPlus(
        _ claim: JSONValue,
        _ delivered: DeliveredIDToken,
        _ login: Login,
        _ sent: Parameter,
        _ flow: Flow
    ) -> Violation? {
        guard sent.rawValue.containsBytes("+"), let came = claim.string, came.containsBytes(" "),
            let callback = login.response?.callback, case .rejected = flow.fate(ofCallback: callback)
        else { return nil }
        return Violation(
            [
                Evidence(
                    place: sent.place,
                    value: Masking.shown(sent.rawValue, of: "nonce"),
                    note: "a + that is not encoded, which stands for a space"
                ),
                Evidence(
                    place: delivered.idToken.place(ofClaim: "nonce"),
                    value: Masking.shown(came, of: "nonce"),
                    note: "with the space"
                ),
            ],
            explanation: """
                The nonce has a + in it that was put into the query as it is, where + stands for a space. The provider read a space and \
                wrote it into the ID token; the app compares that with the nonce it meant. It fails for those nonces alone that have a + \
                in them, now and then.
                """,
            fix: "Encode the parameter (%2B for +), or make nonces of letters, digits, - and _ (base64url).",
            exchange: delivered.idToken.place.exchange
        )
    }

    private func judge(_ claim: JSONValue, _ delivered: DeliveredIDToken, _ sent: Parameter, _ flow: Flow)
        -> Violation?
    {
        let came = claim.string ?? JSONWriter.text(of: claim)
        guard !came.equalsBytes(of: sent.value) else { return nil }
        let other = flow.surroundings.requestValues.request(withNonce: came)
        // A code challenge is a hash of the same kind.
        let relation = other == nil ? CodeChallenge.relation(of: came, to: sent.value) : nil
        let isHash = relation.map { [.s256, .hex, .base64, .padded].contains($0) } ?? false
        var evidence = [
            Evidence(sent),
            Evidence(
                place: delivered.idToken.place(ofClaim: "nonce"),
                value: Masking.shown(came, of: "nonce"),
                note: isHash
                    ? "is the SHA-256 of the nonce sent"
                    : other == nil
                        ? Difference.note(expected: sent.value, seen: came)
                        : "that of another login in this capture"
            ),
        ]
        if let parameter = other?.parameters.parameter("nonce") {
            evidence.append(Evidence(parameter, note: "the login that sent it"))
        }
        return Violation(
            evidence,
            variant: isHash ? "hashed" : nil,
            explanation: isHash
                ? "The ID token's nonce is the SHA-256 of the nonce that was sent: one side hashes it, and the other compares it as it is."
                : nil,
            fix: isHash ? "Hash the nonce on both sides or on neither." : nil,
            exchange: delivered.idToken.place.exchange
        )
    }
}
