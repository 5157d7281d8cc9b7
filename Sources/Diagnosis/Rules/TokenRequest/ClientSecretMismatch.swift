import Captures
import Flows
import JSON
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
            let words = saysSo(call.answer, flow)
            guard call.isClientRefused || words != nil, let secret = call.authentication.secret else {
                return .holds
            }
            let issued = issuedSecrets(to: call.authentication.clientID?.value, before: call.exchange, flow)
            if let violation = violation(call, secret, issued) { return .violated(violation) }
            guard issued.isEmpty else { return .holds }
            if let words { return .violated(violation(call, secret, words, flow)) }
            return .abstains("the secret that was issued to this client is not in the capture")
        }
    }

    /// Another secret was sent than the last one of those that were issued to the client; nil where it is the same, and where there is
    /// none.
    private func violation(_ call: ClientCall, _ secret: Parameter, _ issued: [Parameter]) -> Violation? {
        let sent = readings(of: call.authentication)
        guard let right = issued.last, sent.isDisjoint(with: readings(of: right.value)) else { return nil }
        let isReplaced = issued.dropLast().contains { !sent.isDisjoint(with: readings(of: $0.value)) }
        return Violation(
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

    private func issuedSecrets(to client: String?, before exchange: Int, _ flow: Flow) -> [Parameter] {
        guard let client, flow.deletion(of: client, before: exchange) == nil else { return [] }
        let time = flow.capture[exchange].startedAt
        let registrations = (flow.surroundings.clients.registrations[client] ?? []).filter {
            flow.capture[$0.exchange].startedAt <= time
        }
        // Another provider may have given out the same identifier.
        let host = flow.capture[exchange].request.url.host
        let own = registrations.filter { $0.endpoint.host == host }
        return (own.isEmpty ? registrations.suffix(1) : own).compactMap {
            $0.answer.parameters.parameter("client_secret")
        }
    }

    // MARK: - Encodings

    private func readings(of authentication: ClientAuthentication) -> Set<ByteText> {
        [authentication.secret?.value, authentication.secret?.rawValue, authentication.undecodedSecret]
            .compactMap { $0 }.reduce(into: []) { $0.formUnion(readings(of: $1)) }
    }

    /// What a secret becomes when one side encodes and the other does not.
    private func readings(of secret: String) -> Set<ByteText> {
        Set(
            [
                secret, PercentEncoding.decode(secret), PercentEncoding.decode(secret, plusIsSpace: true),
                PercentEncoding.encode(secret),
                FormBody.encode([("", secret)]).dropFirst().description,
            ].map(ByteText.init)
        )
    }

    // MARK: - Providers' words

    private func saysSo(_ answer: Answer, _ flow: Flow) -> String? {
        guard answer.isRefusal else { return nil }
        let text = answer.errorText
        // Google has other words for a client that it does not know.
        if flow.provider == .google, text == "invalid_client: unauthorized" { return text }
        return Self.texts.first(where: text.containsBytes)
    }

    private static let texts = [
        "aadsts7000215", "aadsts7000222", "invalid client secret provided",
        "the provided client secret is invalid",
        "incorrect_client_credentials", "invalid client secret", "client secret is expired",
        "client secret has expired", "client secret expired",
        "client secret keys for app", "client secret supplied for a confidential client is invalid",
        "invalid_client_secret", "client secret is invalid", "client_secret is invalid",
        "invalid client_secret",
        "wrong client secret", "incorrect client secret", "incorrect client_secret",
        "client secret is incorrect",
        "client secret does not match",
        "client secret mismatch", "aadb2c90081", "invalid_client: client credentials are invalid",
        "the specified client credentials are invalid",
        "bad_client_secret", "error validating client secret",
        // WeChat.
        "invalid appsecret",
        // Stripe's keys are secrets that are for tests or for the real thing.
        "livemode api key but", "testmode api key but",
    ]
}
