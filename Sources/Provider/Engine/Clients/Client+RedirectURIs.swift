import Captures
import JSON

/// Where the user may be sent back to.
extension ProviderConfiguration.Client {
    /// Compared as strings (RFC 9700, section 2.1), but for the port of an app on this machine (RFC 8252, section
    /// 7.3).
    ///
    /// `allowsOtherPorts`: whether such an app may use any port.
    func accepts(redirectURI: String, allowsOtherPorts: Bool) -> Bool {
        if redirectURIs.contains(bytesOf: redirectURI) { return true }
        if acceptsLocalRedirects { return Self.staysOnThisMachine(redirectURI) }
        let asked = RecordedURL(redirectURI)
        guard asked.scheme?.lowercased() == "http", asked.fragment == nil, let host = asked.host,
            LoopbackHost.isLoopback(host), allowsOtherPorts
        else { return false }
        return redirectURIs.contains {
            let known = RecordedURL($0)
            // The name is no address, and many providers compare its port (RFC 8252, section 8.3); but not one that nobody
            // can have registered, nor where none was: `http://localhost` is the registration of an app that takes any.
            if host == "localhost", let port = known.explicitPort, !LoopbackHost.isChosenAnew(port: port) {
                return false
            }
            return known.scheme == asked.scheme && known.host == host
                && known.path.equalsBytes(of: asked.path)
                && known.query.map(ByteText.init) == asked.query.map(ByteText.init)
        }
    }

    /// OpenID Connect RP-Initiated Logout, section 3.
    func accepts(logoutTarget: String) -> Bool {
        postLogoutRedirectURIs.contains(bytesOf: logoutTarget)
            || acceptsLocalRedirects && Self.staysOnThisMachine(logoutTarget)
            || acceptsOwnOriginsAfterLogout && Self.isOfSameOrigin(logoutTarget, redirectURIs)
    }

    /// Of an app's own scheme that is the scheme.
    private static func isOfSameOrigin(_ uri: String, _ others: [String]) -> Bool {
        let url = RecordedURL(uri)
        guard url.fragment == nil, let scheme = url.scheme else { return false }
        return others.contains {
            let other = RecordedURL($0)
            return url.isWeb ? other.origin == url.origin : other.scheme == scheme
        }
    }

    /// Whether an address is a loopback one, or of an app's own scheme (RFC 8252, section 7.1: a reversed domain name).
    private static func staysOnThisMachine(_ uri: String) -> Bool {
        let url = RecordedURL(uri)
        guard url.fragment == nil else { return false }
        if url.isWeb { return url.host.map(LoopbackHost.isLoopback) ?? false }
        return url.scheme?.utf8.contains(0x2e) ?? false
    }
}
