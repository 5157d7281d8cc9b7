package import Captures
import JSON

/// Metadata of an authorization server (OpenID Connect Discovery, RFC 8414) or of a protected resource (RFC
/// 9728).
package struct MetadataDocument: Sendable {
    /// The exchange that asked for it.
    package var exchange: Int
    /// Where it was asked for.
    package var url: RecordedURL
    /// What came; need not be a document.
    package var answer: Answer
    /// Whether it is that of a resource (RFC 9728); else that of a server.
    package var isProtectedResource: Bool

    /// The path at which it was asked for: that of the URL, or one in the query.
    package var path: String { MessageRecognizer.metadataPath(of: url) ?? url.path }

    /// Whether the query has the path: the URL does not tell then whose metadata they are.
    package var isRouted: Bool { !path.equalsBytes(of: url.path) }

    /// As the document has it.
    package var issuer: String? { named("issuer") }

    /// Whether the document names this endpoint under a name, be a usual port written out or the host in capitals.
    package func names(_ endpoint: RecordedURL, as name: String) -> Bool {
        self.endpoint(name).map { RecordedURL($0).isEndpoint(endpoint) } ?? false
    }

    /// The URL that the document has under a name; nil where that member is missing.
    package func endpoint(_ name: String) -> String? { named(name) }

    /// A null came as an empty value, and what has none is left out (RFC 8414, section 3.2).
    private func named(_ name: String) -> String? {
        answer.parameters[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The endpoint for clients that show a certificate (RFC 8705, section 5).
    package func mutualTLSAlias(_ name: String) -> String? {
        answer.json?["mtls_endpoint_aliases"]?[name]?.string
    }

    /// What a protected resource names (RFC 9728, section 2).
    package var authorizationServers: [String] {
        answer.json?["authorization_servers"]?.array?.compactMap(\.string) ?? []
    }

    /// The resource whose metadata was asked for: the URL without its well-known part (RFC 9728, section 3.1).
    package var askedResource: String {
        if isRouted { return named("resource") }
        let text = url.withoutQuery
        guard let range = text.utf8.firstRange(of: Array("/.well-known/oauth-protected-resource".utf8)) else {
            return text
        }
        return String(text[..<range.lowerBound]) + String(text[range.upperBound...])
    }

    /// Whether it is what was asked for: an object with an `issuer`, or with a `resource` that it may lack.
    package var isUsable: Bool {
        guard let status = answer.status, (200..<300).contains(status), answer.json != nil else {
            return false
        }
        return isProtectedResource || issuer != nil
    }

    /// The issuer that was asked: the URL without its well-known part (Discovery, section 4; RFC 8414,
    /// section 3.1).
    package var askedIssuer: String { isRouted ? named("issuer") : Self.issuer(behind: url) }

    /// The issuer whose metadata are at an address.
    package static func issuer(behind url: RecordedURL) -> String {
        let text = url.withoutQuery
        for suffix in ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"]
        where text.hasSuffix(suffix) {
            return String(text.dropLast(suffix.count))
        }
        for part in ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"] {
            if let range = text.utf8.firstRange(of: Array(part.utf8)) {
                return String(text[..<range.lowerBound]) + String(text[range.upperBound...])
            }
        }
        return text
    }
}

extension MetadataDocument {
    /// What a document says of itself, where it is of the server that was asked; else that server.
    private func named(_ name: String) -> String {
        guard let named = answer.parameters[name], RecordedURL(named).origin == url.origin else {
            return url.withoutQuery
        }
        return named
    }
}
