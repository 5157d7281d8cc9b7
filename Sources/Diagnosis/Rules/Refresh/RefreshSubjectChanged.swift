import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The ID token of a refresh is about another user, of another issuer, or for another client.
///
/// `iss` and `sub` have to be those of the login, and `aud` has to name the client (OpenID Connect Core,
/// section 12.2). A client that goes on would swap the user under a running session.
struct RefreshSubjectChanged: Rule {
    static let info = RuleInfo(
        id: "refresh-subject-changed",
        title: "The refreshed ID token is about someone else",
        severity: .error,
        explanation: """
            The ID token that came with a refresh differs from that of the login in issuer or subject, or is not made for this client. A client \
            has to refuse it.
            """,
        fix: """
            End the session and sign the user in anew. Then look for refresh tokens that are kept per device instead of per user, and for \
            sub values that the provider makes up anew for each session.
            """,
        badExample: """
            POST /token  grant_type=authorization_code…  → id_token claims {"sub":"alice", …}
            POST /token  grant_type=refresh_token…  → id_token claims {"sub":"bob", …}
            """,
        goodExample: """
            POST /token  grant_type=authorization_code…  → id_token claims {"sub":"alice", …}
            POST /token  grant_type=refresh_token…  → id_token claims {"sub":"alice", …}
            """,
        specifications: [
            .openIDConnectCore("12.2", "RefreshTokenResponse")
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        let history = flow.refreshHistory
        var earliest: [Int: IDToken] = [:]
        return Verdict.firstViolation(among: history.refreshes) { refresh in
            // What its own descendants begin with: each issuer comes before them.
            let issuer = history.issuer(of: refresh)
            let inherited = issuer.flatMap { earliest[$0.exchange] ?? readable($0.idToken) }
            earliest[refresh.exchange] = inherited
            guard let fresh = readable(refresh.idToken) else { return .holds }
            guard let original = inherited ?? hybrid(refresh, history, flow) else {
                return .abstains("the ID token of the login is not in the capture")
            }
            let evidence = differences(original, fresh, client: refresh.clientID ?? flow.clientID)
            guard !evidence.isEmpty else { return .holds }
            return .violated(Violation(evidence, exchange: refresh.exchange))
        }
    }

    private func readable(_ token: IDToken?) -> IDToken? {
        token.flatMap { $0.token.claims == nil ? nil : $0 }
    }

    /// A hybrid login may have brought its only ID token through the browser.
    private func hybrid(_ refresh: TokenRequest, _ history: RefreshHistory, _ flow: Flow) -> IDToken? {
        guard let exchange = history.origin(of: refresh)?.exchange else { return nil }
        let login = flow.logins.first { $0.tokenRequests.contains { $0.exchange == exchange } }
        return readable(login?.response?.parameters.parameter("id_token").flatMap { IDToken($0) })
    }

    private func differences(_ original: IDToken, _ fresh: IDToken, client: String?) -> [Evidence] {
        for (claim, was, now) in [
            ("iss", original.token.issuer, fresh.token.issuer),
            ("sub", original.token.subject, fresh.token.subject),
        ] {
            guard let was, let now, !was.equalsBytes(of: now) else { continue }
            return [
                Evidence(
                    place: original.place(ofClaim: claim),
                    value: Masking.shown(was, of: claim),
                    note: "of the login"
                ),
                Evidence(
                    place: fresh.place(ofClaim: claim),
                    value: Masking.shown(now, of: claim),
                    note: "of the refresh: \(Difference.note(expected: was, seen: now))"
                ),
            ]
        }
        let before = original.token.audience
        let after = fresh.token.audience
        guard let client, !after.isEmpty, !after.contains(bytesOf: client), before.contains(bytesOf: client)
        else { return [] }
        return [(original, before, "of the login"), (fresh, after, "of the refresh, without \(client)")].map {
            Evidence(
                place: $0.0.place(ofClaim: "aud"),
                value: Masking.shown($0.1.prefix(5).joined(separator: ", "), of: "aud"),
                note: $0.2
            )
        }
    }
}
