import Captures
import JOSE
import JSON

/// Reads the request objects of one client (RFC 9101), and tells why one does not count.
struct RequestObjectReader {
    private let client: ProviderConfiguration.Client
    private let registration: ClientRegistration?
    private let names: ProviderNames
    private let isStrict: Bool
    private let now: Timestamp

    /// `registration`: what the client is held to; nil where it did not register here.
    init(
        for client: ProviderConfiguration.Client,
        registration: ClientRegistration?,
        _ context: ProviderContext
    ) {
        self.client = client
        self.registration = registration
        names = context.names
        isStrict = context.dialect.strictness.checksRequestObjects
        now = context.now
    }

    /// The parameters of a request object, which this client made, and which is of now.
    ///
    /// `algorithmName`: the member by which a client registers its algorithm (OpenID Connect Registration, section 2).
    func parameters(of text: String, algorithmName: String = "request_object_signing_alg")
        throws(RequestObjectFlaw) -> RequestParameters
    {
        let token = JSONWebToken.parse(text)
        guard let token, let claims = token.claims else {
            let isEncrypted = token?.form == .encrypted
            let words = isEncrypted ? "is encrypted, which is not opened here" : "is no JWT that can be read"
            throw RequestObjectFlaw(words: "the request object \(words)")
        }
        if let words = signatureFlaw(of: token) { throw RequestObjectFlaw(words: words) }
        guard token.expiresAt.map({ $0 > now.seconds }) ?? true, (token.notBefore ?? 0) <= now.seconds + 60
        else {
            throw RequestObjectFlaw(words: "the request object is not of now: \(token.times(at: now))")
        }
        // RFC 9101, section 5: another client's is none of this one.
        if let name = claims["client_id"]?.string, name != client.id {
            throw RequestObjectFlaw(words: "the request object is of the client \(name), not \(client.id)")
        }
        if isStrict, !token.audience.isEmpty, let words = names.foreignAudience(of: token) {
            throw RequestObjectFlaw(words: "the request object's \(words)")
        }
        // RFC 9101, section 4: there is one request, and no other in it.
        if isStrict, let nested = ["request", "request_uri"].first(where: { claims[$0] != nil }) {
            throw RequestObjectFlaw(words: "the request object has a \(nested) of its own")
        }
        if let asked = registration?.members[algorithmName]?.string, asked != token.algorithm {
            let words = "is signed by \(token.algorithm ?? "nothing"), and \(asked) was registered"
            throw RequestObjectFlaw(words: "the request object \(words)")
        }
        let own: Set<String> = ["iss", "aud", "exp", "nbf", "iat", "jti"]
        let members = claims.members.filter { !own.contains($0.name) }
        return RequestParameters(
            members.map { ($0.name, $0.value.string ?? JSONWriter.text(of: $0.value)) }
        )
    }

    /// What is wrong with a signature; nil of a client whose keys nobody knows, and of an object that says it has none.
    private func signatureFlaw(of token: JSONWebToken) -> String? {
        guard !client.keys.isEmpty || client.secret != nil, token.algorithm != "none" else { return nil }
        let secret = client.secret.map { Array($0.utf8) }
        let isSymmetric = token.algorithm?.hasPrefix("HS") ?? false
        guard isSymmetric || !client.keys.isEmpty else { return nil }
        return switch token.verify(keys: client.keys(for: token), secret: secret).outcome {
        case .valid: nil
        case .unknownKey:
            "the request object names a key that is none of the client's: \(token.keyID ?? "none")"
        default: "the signature of the request object is not valid"
        }
    }
}

/// Why a request object does not count, in words for whoever runs the provider.
struct RequestObjectFlaw: Error { var words: String }
