import JOSE
import JSON

extension ProviderConfiguration.Client {
    /// The keys that may have signed a token of the client: a key without a name is one by any (RFC 7517, section 4.5).
    func keys(for token: JSONWebToken) -> [JSONWebKey] {
        guard let name = token.keyID else { return keys }
        return keys.map { key in
            guard key.id == nil else { return key }
            var json = key.json
            json["kid"] = .string(name)
            return JSONWebKey(json: json)
        }
    }
}
