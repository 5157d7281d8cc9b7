import Captures
package import JOSE
import JSON
import OAuth

/// Encrypted tokens of a capture that a key of the same capture opens: the client's secret, or a private or symmetric key
/// of a key set or a registration.
package struct OpenedTokens: Sendable {
    /// A token that was inside another one.
    package struct Opened: Sendable {
        /// What was inside.
        package var token: JSONWebToken
        /// In words: `the client secret`, `key shop-enc of the capture`.
        package var key: String
    }

    private let inside: [String: Opened]

    /// More are not opened: one costs as much as a signature.
    private static let limit = 2000

    init(
        _ capture: Capture,
        tokens: [TokenRequest],
        responses: [AuthorizationResponse],
        keySets: [KeySetDocument],
        registrations: [EndpointCall],
        secrets: [String: String]
    ) {
        let sealed = Self.sealed(tokens, responses)
        guard !sealed.isEmpty else {
            inside = [:]
            return
        }
        let keys = Self.keys(capture, keySets, registrations)
        // Without a name any client's will do: there is rarely more than one.
        let only = secrets.count == 1 ? secrets.values.first : nil
        var inside: [String: Opened] = [:]
        for (token, client) in sealed where inside[token.text] == nil {
            let secret = client.flatMap { secrets[$0] } ?? only
            inside[token.text] = Self.open(token, keys, secret: secret)
        }
        self.inside = inside
    }

    private static func sealed(_ tokens: [TokenRequest], _ responses: [AuthorizationResponse])
        -> [(token: JSONWebToken, client: String?)]
    {
        let issued =
            tokens.map { ($0.answer.parameters["id_token"], $0.clientID) }
            + responses.map { ($0.parameters["id_token"], nil) }
        var sealed: [(token: JSONWebToken, client: String?)] = []
        for (text, client) in issued where sealed.count < limit {
            guard let token = text.flatMap({ JSONWebToken.parse($0) }), token.form == .encrypted else {
                continue
            }
            sealed.append((token, client))
        }
        return sealed
    }

    private static func open(_ token: JSONWebToken, _ keys: [JSONWebKey], secret: String?) -> Opened? {
        guard
            let opened = JSONWebEncryption(token)?.open(keys: keys, secret: secret.map { Array($0.utf8) }),
            let inner = JSONWebToken.parse(String(decoding: opened.plaintext, as: UTF8.self))
        else { return nil }
        let name =
            switch opened.key {
            case .secret: "the client secret"
            case .key(let key): "key \(key.id ?? key.thumbprint ?? "without a name") of the capture"
            }
        return Opened(token: inner, key: name)
    }

    /// What is inside of a token; nil for one that is not encrypted, or whose key the capture has not.
    package subscript(token: JSONWebToken) -> Opened? {
        inside.isEmpty || token.form == .signed ? nil : inside[token.text]
    }

    private static func keys(
        _ capture: Capture,
        _ keySets: [KeySetDocument],
        _ registrations: [EndpointCall]
    ) -> [JSONWebKey] {
        var keys = keySets.flatMap { $0.keys?.keys ?? [] }
        for call in registrations {
            let sent = JSONBody.object(of: capture[call.exchange].request.body, below: 1 << 20)
            for set in [sent?["jwks"], call.answer.json?["jwks"]] {
                keys += set.flatMap { JSONWebKeySet(json: $0) }?.keys ?? []
            }
        }
        return Array(keys.filter(\.holdsSecret).eachOnce().prefix(32))
    }
}
