import Captures

extension SetCookie {
    /// As a header field (RFC 6265, section 4.1), with the bytes that were recorded.
    var field: HeaderFields.Field {
        var parts = ["\(name)=\(value)"]
        if let domain { parts.append("Domain=\(domain)") }
        if let path { parts.append("Path=\(path)") }
        if let expires { parts.append("Expires=\(expires)") }
        if let maxAge { parts.append("Max-Age=\(maxAge)") }
        if isSecure { parts.append("Secure") }
        if isHTTPOnly { parts.append("HttpOnly") }
        if let sameSite { parts.append("SameSite=\(sameSite)") }
        return HeaderFields.Field(
            name: "Set-Cookie",
            value: (parts + otherAttributes).joined(separator: "; "),
            isLatin1: isLatin1
        )
    }
}
