package import Captures

/// A client that did not accept the recording proxy's certificate.
package enum RecorderRefusal {
    /// Whether an entry says so, in the words of one of the proxies that write it.
    package static func isOne(_ exchange: Exchange) -> Bool {
        guard exchange.response == nil || exchange.request.method == "CONNECT",
            let words = exchange.failure?.lowercased()
        else { return false }
        if words.containsBytes("does not trust the proxy's certificate") { return true }
        if words.containsBytes("client tls handshake failed") && !words.containsBytes("server") {
            return true
        }
        if words.containsBytes("ssl handshake with client failed") {
            return [
                "certificate_unknown", "certificate unknown", "unknown_ca", "unknown ca", "bad_certificate",
                "bad certificate",
            ].contains(where: words.containsBytes)
        }
        return words.containsBytes("ssl handshake failed")
    }

    /// Whether it is one only by what it looks like: the client went behind its handshake, and may have had no use for the connection.
    package static func isSupposed(_ exchange: Exchange) -> Bool {
        isOne(exchange)
            && exchange.failure?.containsBytes("behind its TLS handshake without a request") == true
    }

    /// Whether it is a service of the device's own system, which accepts no certificate but its maker's: beside a login that was
    /// recorded it has no part in it.
    package static func isOfSystem(_ exchange: Exchange) -> Bool {
        guard let agent = exchange.request.userAgent?.lowercased() else { return false }
        return services.contains { service in
            agent.hasPrefix(service)
                || [" ", "(", "."].contains { agent.containsBytes($0 + service) }
        }
    }

    private static let services = [
        "com.google.android.gms", "akd/", "apsd/", "accountsd/", "cloudd/", "trustd", "nsurlsessiond/",
        "itunesstored/", "appstored/", "commcenter", "gamed/", "icloudservices",
    ]

    /// Whether a host of nobody in particular can be one that people sign in at: by its name, or because it
    /// is of a developer's own network.
    static func mayBeOfALogin(_ host: String) -> Bool {
        let labels = host.split(separator: ".")
        guard labels.count > 1, UInt8(labels[labels.count - 1]) == nil, !host.containsBytes(":"),
            host.utf8.first != 0x5b
        else { return true }
        if ["localhost", "local", "internal", "test", "lan", "home"].contains(labels[labels.count - 1]) {
            return true
        }
        return labels.dropLast(2).contains { label in
            label.split(separator: "-").contains { names.contains(String($0)) }
        }
    }

    private static let names: Set<String> = [
        "account", "accounts", "adfs", "auth", "authn", "iam", "id", "identity", "idp", "keycloak", "login",
        "logon", "oauth", "oauth2", "oidc",
        "openid", "passport", "signin", "sso", "sts",
    ]
}
