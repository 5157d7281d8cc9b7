import Captures
import Flows
import JSON
import OAuth

/// The issuer that a metadata document names, beside the one that it was asked for under.
///
/// Providers that are known to answer with a template, or with the name of another of their hosts, name no other one.
struct NamedIssuer {
    private let asked: RecordedURL
    private let named: RecordedURL

    init(_ issuer: String, in document: MetadataDocument) {
        asked = RecordedURL(document.askedIssuer)
        named = RecordedURL(issuer)
    }

    /// Whether it is another one than was asked for.
    var isOther: Bool {
        guard !Self.plain(asked.text).equalsBytes(of: Self.plain(named.text)) else { return false }
        return !isEntra && !isB2C && !isWSO2 && !isCognito
    }

    /// Whether it is at the server that was asked, at a path that begins with the one asked and goes on.
    var isBelow: Bool {
        guard named.isWeb, named.origin == asked.origin else { return false }
        return Self.plain(named.text).utf8.starts(with: (Self.plain(asked.text) + "/").utf8)
    }

    /// Whether both are names of one site, read over https.
    var isOfOneSite: Bool {
        guard let host = asked.host, let other = named.host, host != other else { return false }
        return asked.scheme == "https" && named.scheme == "https" && Site.of(host) == Site.of(other)
    }

    /// Without the slash at the end; scheme and host in lower case and without the scheme's own port, as recorders write URLs.
    static func plain(_ text: String) -> String {
        let url = RecordedURL(text)
        var plain = text
        if let scheme = url.scheme?.lowercased(), let host = url.host {
            let isUsual = url.port == (scheme == "https" ? 443 : 80)
            plain = "\(scheme)://\(host)" + (isUsual ? "" : url.port.map { ":\($0)" } ?? "") + url.path
            if let query = url.query { plain += "?" + query }
        }
        return plain.withoutSlash
    }

    // MARK: - Providers

    /// Documents of many tenants, by domain name, of version 1, or of a policy: the issuer is a template or has the tenant's id.
    private var isEntra: Bool {
        guard let host = asked.host, let other = named.host, ProviderRecognizer.kind(ofHost: host) == .entra,
            ProviderRecognizer.kind(ofHost: other) == .entra
        else { return false }
        return named.path.split(separator: "/").contains { $0 == IssuerTemplate.gap || $0.utf8.isUUID }
    }

    /// Azure AD B2C at a domain of the customer's own: the document is that of a policy, the issuer has the tenant's id.
    private var isB2C: Bool {
        guard asked.origin == named.origin else { return false }
        let (path, issuer) = (asked.path.split(separator: "/"), named.path.split(separator: "/"))
        guard path.count == 3, path[0].hasSuffix(".onmicrosoft.com") || path[0].utf8.isUUID,
            path[2] == "v2.0", let tenant = issuer.first(where: \.utf8.isUUID),
            // A tenant that was asked for by its id is that one.
            !path[0].utf8.isUUID || path[0].lowercased() == tenant.lowercased()
        else { return false }
        return issuer == [tenant, "v2.0"] || issuer == ["tfp", tenant, path[1], "v2.0"]
    }

    private var isWSO2: Bool {
        let paths = ["/oauth2/oidcdiscovery", "/oauth2/token"]
        return asked.origin == named.origin && named.path.hasSuffix("/oauth2/token")
            && paths.contains(where: asked.path.hasSuffix)
    }

    /// The hosted pages have a domain of their own; the issuer is the user pool's.
    private var isCognito: Bool {
        guard let host = named.host else { return false }
        return host.hasPrefix("cognito-idp.") && ProviderRecognizer.kind(ofHost: host) == .cognito
    }
}
