import JOSE
import JSON
import OAuth

/// How clients have registered to be answered: signed by which algorithm, encrypted for which key of theirs (OpenID Connect
/// Registration, section 2; JWT Secured Authorization Response Mode, section 3).
extension ClientRegistrar {
    /// What is encrypted for who asks for that, as the names of the metadata begin.
    private static let sealed = ["id_token", "userinfo", "authorization"]

    /// Holds a client to what it registers, and takes out of it what is not done here: nobody is told to have that.
    ///
    /// `members`: as the client is told them; of a recorded provider they stay as that one's.
    func agree(on members: inout JSONObject, with client: inout ProviderConfiguration.Client) {
        let isRecorded = dialect.registration != nil
        client.idTokenAlgorithm = algorithm(named: members["id_token_signed_response_alg"])
        client.authorizationAlgorithm = members["authorization_signed_response_alg"].map {
            algorithm(named: $0)
        }
        client.logout = LogoutAddresses(members)
        if !isRecorded { client.logout.agree(on: &members) }
        client.userInfoAlgorithm = nil
        client.envelopes = [:]
        let asked = members["userinfo_signed_response_alg"]
        // Without a value it is not asked for (RFC 7592, section 2.2).
        if let name = asked?.string, name != "none", !configuration.keys.isEmpty {
            let algorithm = algorithm(named: asked)
            if !isShown("userinfo_signed_response_alg", client) { client.userInfoAlgorithm = algorithm }
            if !isRecorded { members["userinfo_signed_response_alg"] = .string(algorithm.rawValue) }
        } else if !isRecorded {
            members["userinfo_signed_response_alg"] = nil
        }
        for subject in Self.sealed {
            let (name, cipher) = ("\(subject)_encrypted_response_alg", "\(subject)_encrypted_response_enc")
            if let header = envelope(members[name], members[cipher], for: client.keys) {
                if !isShown(name, client) { client.envelopes[subject] = header }
                if !isRecorded { members[cipher] = header["enc"] }
            } else if !isRecorded {
                members[name] = nil
                members[cipher] = nil
            }
        }
    }

    /// Whether the recorded client asked for the same, and how it was answered then is known.
    private func isShown(_ name: String, _ client: ProviderConfiguration.Client) -> Bool {
        guard let recorded = client.standsFor, dialect.registration?.sent[name] != nil else { return false }
        switch name {
        case _ where name.hasPrefix("userinfo"):
            return dialect.userInfo.contains { $0.clientID == recorded }
        case _ where name.hasPrefix("id_token"):
            return dialect.tokens.contains { $0.clientID == recorded && $0.idToken != nil }
        default: return dialect.authorizations.contains { $0.clientID == recorded }
        }
    }

    /// The one that a client asks for where there is such a key; else the provider's own.
    func algorithm(named asked: JSONValue?) -> SignatureAlgorithm {
        let keys = configuration.keys
        let key = keys.first { $0.algorithm.rawValue == asked?.string } ?? keys.first
        return key?.algorithm ?? .rs256
    }

    /// The header of what is encrypted so; nil where no key of the client's fits.
    private func envelope(_ algorithm: JSONValue?, _ cipher: JSONValue?, for keys: [JSONWebKey])
        -> JSONObject?
    {
        guard let algorithm else { return nil }
        // OpenID Connect Registration, section 2: the cipher of who names none.
        let cipher = cipher?.string ?? "A128CBC-HS256"
        var header: JSONObject = ["alg": algorithm, "enc": .string(cipher), "cty": "JWT"]
        let seal = TokenSeal(like: header, keys: keys, secret: nil)
        guard seal.sealed("", random: random) != nil else { return nil }
        header["kid"] = seal.key?.id.map { .string($0) }
        return header
    }
}
