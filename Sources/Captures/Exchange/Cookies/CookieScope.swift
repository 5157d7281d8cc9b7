/// Which requests a cookie belongs to, by domain and path (RFC 6265, section 5.1).
package enum CookieScope {
    /// Whether a host belongs to a `Domain` (section 5.1.3); a dot before the domain counts as none.
    package static func contains(host: String, domain: String) -> Bool {
        let domain = (domain.utf8.first == 0x2e ? String(domain.dropFirst()) : domain).lowercased()
        if host == domain { return true }
        // An address has no domains above it.
        let isAddress =
            host.utf8.first == 0x5b || host.utf8.allSatisfy { $0 == 0x2e || $0.isASCIIDigit }
        return !isAddress && !domain.isEmpty && host.utf8.count > domain.utf8.count + 1
            && host.utf8.suffix(domain.utf8.count + 1).elementsEqual(".\(domain)".utf8)
    }

    /// Whether a request's path lies under a `Path` (section 5.1.4).
    package static func contains(path: String, cookiePath: String) -> Bool {
        let path = path.isEmpty ? "/" : path
        if path == cookiePath { return true }
        guard path.utf8.starts(with: cookiePath.utf8) else { return false }
        return cookiePath.utf8.last == 0x2f || path.utf8.dropFirst(cookiePath.utf8.count).first == 0x2f
    }

    /// The path of a cookie that was set without one (section 5.1.4).
    package static func defaultPath(of url: RecordedURL) -> String {
        guard url.path.utf8.first == 0x2f, let slash = url.path.utf8.lastIndex(of: 0x2f),
            slash != url.path.startIndex
        else { return "/" }
        return String(url.path[..<slash])
    }
}
