import JOSE

/// What an encrypted token holds, and what opened it.
struct OpenedToken {
    var plaintext: [UInt8]
    /// A private or symmetric key of the captures; nil where it was a client's secret.
    var key: JSONWebKey?
    var secret: String?

    /// More are not tried: one costs as much as a signature.
    private static let mostTries = 20_000

    /// Opens tokens with whatever the captures have for it.
    ///
    /// `keys`: private and symmetric ones.
    static func opening(_ tokens: [JSONWebToken], keys: [JSONWebKey], secrets: [String]) -> [String:
        OpenedToken]
    {
        var opened: [String: OpenedToken] = [:]
        var tries = 0
        for token in tokens {
            guard let sealed = JSONWebEncryption(token) else { continue }
            tries += 1 + secrets.count
            guard tries <= mostTries else { break }
            if let found = sealed.open(keys: keys), case .key(let key) = found.key {
                opened[token.text] = OpenedToken(plaintext: found.plaintext, key: key)
                continue
            }
            for secret in secrets {
                guard let found = sealed.open(keys: [], secret: Array(secret.utf8)) else { continue }
                opened[token.text] = OpenedToken(plaintext: found.plaintext, secret: secret)
                break
            }
        }
        return opened
    }
}
