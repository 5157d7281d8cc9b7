import Captures

/// Where the metadata of an issuer are looked for.
package enum MetadataAddresses {
    /// In order: OpenID Connect Discovery, section 4; RFC 8414, section 3; and behind the issuer's path, as many servers have it.
    ///
    /// - Parameter issuer: its identifier, with or without a final slash, or the address of its metadata.
    /// - Returns: each once; the first one is the one to speak of where none has any.
    package static func of(_ issuer: String) -> [String] {
        guard !issuer.contains("/.well-known/") else { return [issuer] }
        let issuer = issuer.withoutSlash
        let path = RecordedURL(issuer).path
        let names = ["openid-configuration", "oauth-authorization-server"].map { "/.well-known/" + $0 }
        var addresses = names.map { issuer + $0 }
        if path.utf8.count > 1 {
            addresses.insert(String(issuer.dropLast(path.count)) + names[1] + path, at: 1)
        }
        return addresses
    }
}
