import Captures

/// Tells the provider's product by the URLs and cookies of a flow: the first row that fits decides.
package enum ProviderRecognizer {
    /// What is looked at of one exchange at the provider.
    struct Sight {
        var host: String
        var path: String
        var query: String?
        var cookies: [String]
        /// Where the answer sends the browser.
        var location: RecordedURL?
    }

    static func kind(of sights: [Sight]) -> ProviderKind {
        for (kind, fits) in rows where fits(sights) { return kind }
        return .generic
    }

    /// By the host alone, as far as a closed connection shows it; nil where the host is nobody's in
    /// particular.
    package static func kind(ofHost host: String) -> ProviderKind? {
        let sight = Sight(host: host, path: "", cookies: [])
        return hostRows.first { $0.1(sight) }?.0
    }

    private static let hostRows: [(ProviderKind, @Sendable (Sight) -> Bool)] = [
        (.myinfo, { $0.host == "api.myinfo.gov.sg" || suffix($0.host, ".api.myinfo.gov.sg") }),
        (.singpass, { $0.host.hasSuffix("id.singpass.gov.sg") }),
        (
            .google,
            {
                ["accounts.google.com", "oauth2.googleapis.com", "openidconnect.googleapis.com"].contains(
                    $0.host
                )
            }
        ),
        (.apple, { $0.host == "appleid.apple.com" }),
        (
            .entra,
            {
                entraHosts.contains($0.host) || suffix($0.host, ".b2clogin.com")
                    || suffix($0.host, ".ciamlogin.com")
            }
        ),
        (
            .okta,
            {
                suffix($0.host, ".okta.com") || suffix($0.host, ".oktapreview.com")
                    || suffix($0.host, ".okta-emea.com")
            }
        ),
        (.auth0, { suffix($0.host, ".auth0.com") }),
        (
            .cognito,
            {
                suffix($0.host, ".amazoncognito.com")
                    || $0.host.hasPrefix("cognito-idp.") && suffix($0.host, ".amazonaws.com")
            }
        ),
        (.ping, { $0.host.hasPrefix("auth.pingone.") }),
        (.wso2, { suffix($0.host, ".asgardeo.io") }),
    ]

    private static let entraHosts: Set<String> = [
        "login.microsoftonline.com", "login.microsoftonline.us", "login.partner.microsoftonline.cn",
        "login.microsoft.com",
        "login.windows.net", "sts.windows.net",
    ]

    private static let rows: [(ProviderKind, @Sendable ([Sight]) -> Bool)] = [
        (
            .myinfo,
            any { sight in
                host(.myinfo, sight)
                    || ["/com/v4/authorize", "/com/v4/token", "/com/v4/person", "/myinfo/v"].contains {
                        sight.path.hasPrefix($0)
                    }
            }
        ),
        (
            .singpass,
            any {
                host(.singpass, $0) || $0.path.hasPrefix("/singpass/v2/")
                    || $0.path.hasPrefix("/singpass/v3/fapi/")
            }
        ),
        (
            .google,
            any { host(.google, $0) || $0.host == "www.googleapis.com" && $0.path.hasPrefix("/oauth2/") }
        ),
        (.apple, any { host(.apple, $0) }),
        (
            .github,
            any {
                $0.host == "github.com"
                    && ($0.path.hasPrefix("/login/oauth/") || $0.path.hasPrefix("/login/device"))
                    || $0.host == "api.github.com"
            }
        ),
        (.entra, any { host(.entra, $0) }),
        // Oracle's identity domains have the same paths.
        (
            .okta,
            any { host(.okta, $0) || isOktaPath($0.path) && !suffix($0.host, ".identity.oraclecloud.com") }
        ),
        (
            .auth0,
            { sights in
                sights.contains {
                    host(.auth0, $0) || $0.path == "/authorize" && $0.cookies.contains("auth0")
                }
                    || hasOneHost(sights, { $0 == "/authorize" }, { $0.hasPrefix("/u/login") })
                    || hasOneHost(
                        sights,
                        { $0 == "/authorize" },
                        { $0 == "/oauth/token" },
                        { $0 == "/v2/logout" }
                    )
            }
        ),
        // On a domain of one's own, its cookie has the name of the service.
        (.cognito, any { host(.cognito, $0) || $0.cookies.contains("cognito") }),
        (
            .forgerock,
            any { sight in
                [
                    "/oauth2/realms/root", "/am/oauth2/", "/openam/oauth2/", "/am/json/", "/openam/json/",
                ].contains { sight.path.containsBytes($0) }
                    || sight.cookies.contains("iPlanetDirectoryPro")
            }
        ),
        (.keycloak, any { isKeycloakPath($0.path) }),
        (
            .ping,
            any { host(.ping, $0) || ["/as/authorization.oauth2", "/as/token.oauth2"].contains($0.path) }
        ),
        (
            .wso2,
            { sights in
                sights.contains {
                    host(.wso2, $0) || $0.cookies.contains("commonAuthId")
                        || $0.path.hasPrefix("/oauth2/oidcdiscovery")
                        || $0.path == "/oauth2/token/.well-known/openid-configuration"
                }
                    || sights.contains {
                        // Where another provider signs the user in, and cookies were stripped, it comes back by this alone.
                        wso2Path($0.path) == "/oauth2/authorize"
                            && $0.query?.containsBytes("sessionDataKey=") ?? false
                    }
                    || sights.contains { wso2Path($0.path) == "/oauth2/authorize" }
                        && sights.contains {
                            let path = wso2Path($0.path)
                            return path.hasPrefix("/authenticationendpoint/") || path == "/commonauth"
                                || path == "/oidc/logout" || path == "/oauth2/authn"
                                || $0.cookies.contains("opbs")
                        }
                    || sights.contains {
                        // Its page to sign in at may not have been loaded, or not at its own host.
                        wso2Path($0.path) == "/oauth2/authorize" && $0.location.map(isWSO2Page) ?? false
                    }
            }
        ),
        (
            .curity,
            any {
                $0.path.hasPrefix("/oauth/v2/oauth-") || $0.path.hasPrefix("/authn/authentication")
                    || $0.path == "/token-service/oauth-registration"
            }
        ),
        (
            .glewlwyd,
            { sights in
                // Authelia's endpoints begin alike.
                !sights.contains { $0.path.containsBytes("/api/oidc/authorization") }
                    && sights.contains {
                        $0.path.containsBytes("/api/oidc/auth") || $0.path.containsBytes("/api/oidc/token")
                            || $0.path.containsBytes("/api/glwd/")
                    }
            }
        ),
        (
            .lemonldap,
            { sights in
                sights.contains { $0.path == "/oauth2/authorize" }
                    && sights.contains { !Set($0.cookies).isDisjoint(with: lemonldapCookies) }
            }
        ),
    ]

    private static let lemonldapCookies = ["lemonldap", "lemonldappdata", "llnglanguage"]

    // MARK: - Conditions

    private static func any(_ fits: @escaping @Sendable (Sight) -> Bool) -> @Sendable ([Sight]) -> Bool {
        { $0.contains(where: fits) }
    }

    private static func host(_ kind: ProviderKind, _ sight: Sight) -> Bool {
        hostRows.contains { $0.0 == kind && $0.1(sight) }
    }

    private static func suffix(_ host: String, _ suffix: String) -> Bool { host.hasSuffix(suffix) }

    /// A path without the tenant and the organization before it, and without a slash at its end: `/t/{tenant}/o/{organization}/oauth2/…`.
    private static func wso2Path(_ path: String) -> String {
        var parts = path.split(separator: "/")[...]
        for name in ["t", "o"] where parts.count > 2 && parts.first == name[...] {
            parts = parts.dropFirst(2)
        }
        return "/" + parts.joined(separator: "/")
    }

    private static func isWSO2Page(_ url: RecordedURL) -> Bool {
        if wso2Path(url.path).hasPrefix("/authenticationendpoint/") { return true }
        guard url.query?.containsBytes("sessionDataKey=") ?? false else { return false }
        // WSO2 may be the app that another provider answers, with the key in its redirect URI.
        return !["code", "error", "response"].contains { url.queryItems.first($0) != nil }
    }

    private static func isOktaPath(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        guard parts.first == "oauth2", let last = parts.last, last == "authorize" || last == "token" else {
            return false
        }
        return parts.count == 3 && parts[1] == "v1" || parts.count == 4 && parts[2] == "v1"
    }

    /// `/realms/{realm}/protocol/openid-connect/*` or `/realms/{realm}/.well-known/*`, with any prefix.
    private static func isKeycloakPath(_ path: String) -> Bool {
        let parts = path.split(separator: "/")
        guard let realms = parts.firstIndex(of: "realms"), realms + 2 < parts.count else { return false }
        return parts[realms + 2] == ".well-known"
            || parts[realms + 2] == "protocol" && realms + 3 < parts.count
                && parts[realms + 3] == "openid-connect"
    }

    private static func hasOneHost(_ sights: [Sight], _ conditions: ((String) -> Bool)...) -> Bool {
        Set(sights.map(\.host)).contains { host in
            conditions.allSatisfy { condition in sights.contains { $0.host == host && condition($0.path) } }
        }
    }
}
