import Captures

extension SetCookie {
    /// As a header field's value (RFC 6265, section 4.1).
    var field: String {
        var parts = ["\(name)=\(value)"]
        if let domain { parts.append("Domain=\(domain)") }
        if let path { parts.append("Path=\(path)") }
        if let expires { parts.append("Expires=\(expires)") }
        if let maxAge { parts.append("Max-Age=\(maxAge)") }
        if isSecure { parts.append("Secure") }
        if isHTTPOnly { parts.append("HttpOnly") }
        if let sameSite { parts.append("SameSite=\(sameSite)") }
        return (parts + otherAttributes).joined(separator: "; ")
    }
}
