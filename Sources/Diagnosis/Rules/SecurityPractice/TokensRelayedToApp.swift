import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The back end gives the tokens it got from the provider to the app.
///
/// The app hands the code to its back end, which keeps the tokens: that is what the detour is for (RFC 9700,
/// section 2.2, wants tokens bound to whom they were issued; Singpass forbids passing them on). An app that
/// fetches its tokens itself is left alone.
struct TokensRelayedToApp: Rule {
    static let info = RuleInfo(
        id: "tokens-relayed-to-app",
        title: "The backend hands the provider's tokens to the app",
        severity: .warning,
        explanation: """
            The app sent the authorization code to its back end and got the provider's tokens in return. They were issued to the back end as a \
            client that can keep them; on a device they can be taken and used.
            """,
        fix:
            "Keep the provider's tokens at the back end, and give the app a session of its own that means nothing elsewhere.",
        badExample: """
            POST https://api.app.example/login/finish  {"code":"SplxlOBeZQQYbYS6WxSbIA"}
            200 {"access_token":"2YotnFZFEjr1zCsicMWpAA","id_token":"eyJ…"}
            """,
        goodExample: """
            POST https://api.app.example/login/finish  {"code":"SplxlOBeZQQYbYS6WxSbIA"}
            200 {"session":"kb8Vw2…"}
            """,
        specifications: [.rfc(9700, "2.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for login in flow.logins {
            let relays = AppHandover.relays(of: login, in: flow).filter { index in
                flow.capture[index].request.isByNativeApp
            }
            guard !relays.isEmpty else { continue }
            let issued = login.tokenRequests.filter(\.answer.isSuccess)
            for relay in relays {
                guard let body = flow.capture[relay].response?.body, (body.size ?? 0) < 1 << 20 else {
                    continue
                }
                let answer = Answer(of: flow.capture[relay], at: relay)
                let found = issued.isEmpty ? tokenAnswer(answer) : tokens(of: issued, in: body, relay)
                guard !found.isEmpty else { continue }
                return .violated(
                    Violation(
                        found + [
                            flow.urlEvidence(of: relay, note: "the app sent the code here")
                        ],
                        exchange: relay
                    )
                )
            }
        }
        return .holds
    }

    /// Tokens of the provider's answers that stand in a body.
    private func tokens(of requests: [TokenRequest], in body: Body, _ relay: Int) -> [Evidence] {
        guard let bytes = body.bytes else { return [] }
        return requests.flatMap { request in
            Self.names.compactMap { name -> Evidence? in
                guard let token = request.answer.parameters[name], token.utf8.count >= 8,
                    ScriptEscape.isWritten(token, in: bytes)
                else { return nil }
                return Evidence(
                    place: Place(exchange: relay, part: .responseBody, name: name),
                    value: Masking.masked(token),
                    note: "issued to the back end"
                )
            }
        }
    }

    /// The members of a token answer, where the provider's own is not recorded to compare with.
    private func tokenAnswer(_ answer: Answer) -> [Evidence] {
        let nested = answer.json?.members.prefix(50).compactMap(\.value.object) ?? []
        for object in ([answer.json].compactMap { $0 } + nested) {
            guard object["access_token"]?.string != nil,
                ["token_type", "expires_in", "id_token", "refresh_token"].contains(where: {
                    object[$0] != nil
                })
            else { continue }
            return Self.names.compactMap { name in
                object[name]?.string.map {
                    Evidence(
                        place: answer.place(name),
                        value: Masking.masked($0),
                        note: "a member of a token answer"
                    )
                }
            }
        }
        return []
    }

    private static let names = ["access_token", "id_token", "refresh_token"]
}
