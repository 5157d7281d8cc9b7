import Captures

/// Cookies of a recorded provider as the mock may set them: fresh, of its own host, under its paths.
struct PlayedCookies {
    let addresses: AddressMap
    /// Whether the mock is reached over TLS.
    let isSecure: Bool

    /// The cookie in its place.
    ///
    /// `url`: of the recorded request whose answer set it.
    /// `answeredAt`: when, so that a date of expiry becomes a lifetime.
    func played(_ cookie: SetCookie, of url: RecordedURL, answeredAt: Timestamp, values: Substitution)
        -> SetCookie
    {
        var played = cookie
        played.name = values.applied(to: cookie.name)
        played.value = values.applied(to: cookie.value)
        // Any other host than the mock's own would be refused.
        played.domain = nil
        played.path = path(cookie, url)
        if cookie.maxAge == nil, let end = cookie.expiry {
            played.maxAge = max(0, end.seconds - answeredAt.seconds)
        }
        // A date that is not read here a browser may read.
        if played.maxAge != nil { played.expires = nil }
        guard !isSecure else { return played }
        // Without TLS a browser keeps no cookie that wants it (RFC 6265bis, sections 4.1.2.5 and 4.1.3).
        played.isSecure = false
        if played.sameSite?.lowercased() == "none" { played.sameSite = nil }
        for prefix in ["__Host-", "__Secure-"] where played.name.hasPrefix(prefix) {
            played.name = String(played.name.dropFirst(prefix.count))
        }
        played.otherAttributes.removeAll { $0.lowercased() == "partitioned" }
        return played
    }

    private func path(_ cookie: SetCookie, _ url: RecordedURL) -> String? {
        guard let path = cookie.path, let origin = AddressMap.origin(of: url),
            let played = addresses.played(origin + path)
        else { return cookie.path }
        let result = RecordedURL(played).path
        return result.isEmpty ? "/" : result
    }
}
