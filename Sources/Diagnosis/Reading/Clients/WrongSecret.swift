import Captures
import Flows
import JSON
import OAuth

/// The secret of a client that was refused, which is not the one that the client has (RFC 6749, section 2.3.1).
enum WrongSecret {
    /// Another one than the last that was issued to the client; `isReplaced`: it was issued before that.
    case other(than: Parameter, isReplaced: Bool)
    /// In the provider's words, in lower case.
    case said(String)
    /// It may be: what was issued is not in the capture.
    case unknown

    /// Nil of a call without a secret, of one that is the same, and where the client was not refused.
    init?(of call: ClientCall, in flow: Flow) {
        let words = Self.saysSo(call.answer, flow)
        guard call.isClientRefused || words != nil, call.authentication.secret != nil else { return nil }
        let issued = Self.issuedSecrets(to: call.authentication.clientID?.value, before: call.exchange, flow)
        guard let right = issued.last else {
            self = words.map { .said($0) } ?? .unknown
            return
        }
        let sent = Self.readings(of: call.authentication)
        guard sent.isDisjoint(with: Self.readings(of: right.value)) else { return nil }
        let isReplaced = issued.dropLast().contains { !sent.isDisjoint(with: Self.readings(of: $0.value)) }
        self = .other(than: right, isReplaced: isReplaced)
    }

    private static func issuedSecrets(to client: String?, before exchange: Int, _ flow: Flow) -> [Parameter] {
        guard let client, flow.deletion(of: client, before: exchange) == nil else { return [] }
        let time = flow.capture[exchange].startedAt
        let registrations = (flow.surroundings.clients.registrations[client] ?? []).filter {
            flow.capture[$0.exchange].startedAt <= time
        }
        // Another provider may have given out the same identifier.
        let host = flow.capture[exchange].request.url.host
        let own = registrations.filter { $0.endpoint.host == host }
        return (own.isEmpty ? registrations.suffix(1) : own).compactMap(\.issuedSecret)
    }

    // MARK: - Encodings

    private static func readings(of authentication: ClientAuthentication) -> Set<ByteText> {
        [authentication.secret?.value, authentication.secret?.rawValue, authentication.undecodedSecret]
            .compactMap { $0 }.reduce(into: []) { $0.formUnion(readings(of: $1)) }
    }

    /// What a secret becomes when one side encodes and the other does not.
    private static func readings(of secret: String) -> Set<ByteText> {
        Set(
            [
                secret, PercentEncoding.decode(secret), PercentEncoding.decode(secret, plusIsSpace: true),
                PercentEncoding.encode(secret),
                FormBody.encode([("", secret)]).dropFirst().description,
            ].map(ByteText.init)
        )
    }

    // MARK: - Providers' words

    private static func saysSo(_ answer: Answer, _ flow: Flow) -> String? {
        guard answer.isRefusal else { return nil }
        let text = answer.errorText
        // Google has other words for a client that it does not know.
        if flow.provider == .google, text == "invalid_client: unauthorized" { return text }
        return texts.first(where: text.containsBytes) ?? sentence(in: text)
    }

    /// What is said of the secret in a sentence that speaks of it alone, by whichever of its two spellings; nil where the identifier may be
    /// meant as well ("client id or client secret").
    private static func sentence(in text: String) -> String? {
        let text = text.replacing("client_secret", with: "client secret")
        return faults.map { "client secret " + $0 }.first { words in
            guard let said = text.ranges(of: words).first else { return false }
            let before = text[..<said.lowerBound].split(separator: " ").suffix(2)
            return !before.contains { ["or", "and", "and/or", "&"].contains($0) || $0.hasSuffix("/") }
        }
    }

    private static let faults = [
        "is wrong", "is not correct", "is not valid", "is incorrect", "is invalid",
        "was wrong", "was incorrect", "was invalid",
        "does not match", "doesn't match", "did not match", "mismatch",
    ]

    private static let texts = [
        "aadsts7000215", "aadsts7000222", "invalid client secret provided",
        "incorrect_client_credentials", "invalid client secret", "client secret is expired",
        "client secret has expired", "client secret expired",
        "client secret keys for app", "client secret supplied for a confidential client is invalid",
        "invalid_client_secret", "invalid client_secret",
        "wrong client secret", "incorrect client secret", "incorrect client_secret",
        "aadb2c90081", "invalid_client: client credentials are invalid",
        "the specified client credentials are invalid",
        "bad_client_secret", "error validating client secret",
        // WeChat.
        "invalid appsecret",
        // Stripe's keys are secrets that are for tests or for the real thing.
        "livemode api key but", "testmode api key but",
    ]
}
