import Captures
import JOSE

/// By what those who send tokens to a provider may name it: its issuer, and the addresses of its endpoints.
struct ProviderNames {
    private let issuer: String
    private let dialect: ProviderDialect

    init(_ configuration: ProviderConfiguration, _ dialect: ProviderDialect) {
        issuer = configuration.issuer
        self.dialect = dialect
    }

    /// Whether an audience is this provider: its issuer, or one of its endpoints.
    func contains(_ audience: String) -> Bool {
        if audience == issuer || audience == issuer + "/" { return true }
        return dialect.endpoint(at: RecordedURL(audience)) != nil && isOfOrigin(audience)
    }

    /// Whether an address lies where this provider is played.
    func isOfOrigin(_ url: String) -> Bool {
        AddressMap.origin(of: RecordedURL(url)) == AddressMap.origin(of: RecordedURL(issuer))
    }

    /// Whom a token of a client's is for, where this provider is not among them (RFC 7519, section 4.1.3); nil where it is.
    func foreignAudience(of token: JSONWebToken) -> String? {
        guard !token.audience.contains(where: contains) else { return nil }
        let audience = token.audience.prefix(3).joined(separator: " ")
        return
            "aud is \(audience.isEmpty ? "not there" : audience), neither \(issuer) nor an endpoint of it"
    }
}
