import Captures
import Flows
import OAuth

/// The client secret that was sent is not the one that belongs to the client.
///
/// Known from a registration in the capture, or from the words of the provider. Secrets that only differ by
/// their encoding are another fault.
struct ClientSecretMismatch: Rule {
    static let info = RuleInfo(
        id: "client-secret-mismatch",
        title: "The client secret is not the registered one",
        severity: .error,
        explanation:
            "The provider refused the client, and the secret it was sent is not the one it gave to this client (or not any more).",
        fix: """
            Configure the secret that belongs to this client_id at this provider and environment, and deploy it everywhere. At Entra it is the \
            secret's value, not its id. An expired secret has to be made anew.
            """,
        badExample: """
            POST /register → {"client_id":"shop","client_secret":"v7J…"}
            POST /token  client_id=shop&client_secret=old-…  → 401 invalid_client
            """,
        goodExample: """
            POST /register → {"client_id":"shop","client_secret":"v7J…"}
            POST /token  client_id=shop&client_secret=v7J…  → 200
            """,
        specifications: [.rfc(6749, "2.3.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: ClientCall.all(in: flow)) { call in
            guard let secret = call.authentication.secret else { return .holds }
            switch WrongSecret(of: call, in: flow) {
            case nil: return .holds
            case .other(let right, let isReplaced):
                return .violated(violation(call, secret, than: right, isReplaced: isReplaced))
            case .said(let words): return .violated(violation(call, secret, words, flow))
            case .unknown:
                return .abstains("the secret that was issued to this client is not in the capture")
            }
        }
    }

    private func violation(_ call: ClientCall, _ secret: Parameter, than right: Parameter, isReplaced: Bool)
        -> Violation
    {
        Violation(
            [
                Evidence(
                    place: secret.place,
                    value: Masking.masked(secret.value, showing: 2),
                    note: "sent"
                ),
                Evidence(
                    place: right.place,
                    value: Masking.masked(right.value, showing: 2),
                    note:
                        "issued to this client\(isReplaced ? " in place of the one that was sent" : ""); "
                        + Difference.note(expected: right.value, seen: secret.value, isSecret: true)
                ),
                call.answer.evidence(),
            ],
            exchange: call.exchange
        )
    }

    /// The provider says of a secret that it is wrong.
    private func violation(_ call: ClientCall, _ secret: Parameter, _ words: String, _ flow: Flow)
        -> Violation
    {
        let copied = CopiedSecret.evidence(of: call)
        return Violation(
            [
                Evidence(
                    place: secret.place,
                    value: Masking.masked(secret.value, showing: 2),
                    note: flow.provider == .entra && secret.value.utf8.isUUID
                        ? "a GUID, which is what the id of a secret looks like; its value is none"
                        : nil
                ),
                call.answer.evidence(
                    note: words.containsBytes("expired") || words == "aadsts7000222"
                        ? "the secret has run out" : nil
                ),
            ] + [copied].compactMap(\.self),
            saying: copied.map { _ in CopiedSecret.words },
            exchange: call.exchange
        )
    }
}
