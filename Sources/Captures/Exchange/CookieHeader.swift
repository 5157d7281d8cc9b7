/// The cookies of a `Cookie` header field (RFC 6265, section 4.2), in order.
package enum CookieHeader {
    /// Pairs of name and value; quotes around a value are kept, since servers differ on them.
    package static func pairs(_ value: String) -> [HeaderFields.Field] {
        value.utf8.split(separator: 0x3b).compactMap { part in
            let trimmed = String(part.drop { $0 == 0x20 || $0 == 0x09 }) ?? ""
            guard !trimmed.isEmpty else { return nil }
            guard let equals = trimmed.utf8.firstIndex(of: 0x3d) else {
                return HeaderFields.Field(name: "", value: trimmed)
            }
            return HeaderFields.Field(
                name: String(trimmed[..<equals]),
                value: String(trimmed[trimmed.utf8.index(after: equals)...])
            )
        }
    }
}

extension RecordedRequest {
    /// The cookies sent: of the `Cookie` headers, else of the HAR's `cookies` array.
    package var cookies: [HeaderFields.Field] {
        let headers = headers.all("cookie")
        return headers.isEmpty ? listedCookies : headers.flatMap(CookieHeader.pairs)
    }

    package func cookie(_ name: String) -> String? { cookies.first { $0.name == name }?.value }
}

extension RecordedResponse {
    /// The cookies set: of the `Set-Cookie` headers, else of the HAR's `cookies` array.
    package var setCookies: [SetCookie] {
        let headers = headers.all("set-cookie")
        // Firefox and some recorders fold several fields into one, separated by line feeds.
        let lines = headers.flatMap { $0.split(separator: "\n").map(String.init) }
        return lines.isEmpty ? listedCookies : lines.compactMap(SetCookie.init(parsing:))
    }
}

extension SetCookie {
    /// Takes apart a `Set-Cookie` value as a user agent does; nil without `=` or with an empty name and
    /// value.
    package init?(parsing field: String) {
        var parts = field.utf8.split(separator: 0x3b, omittingEmptySubsequences: false).map {
            Self.trimmed(String($0) ?? "")
        }
        guard let pair = parts.first, let equals = pair.utf8.firstIndex(of: 0x3d) else { return nil }
        parts.removeFirst()
        self.init(
            name: Self.trimmed(String(pair[..<equals])),
            value: Self.trimmed(String(pair[pair.utf8.index(after: equals)...]))
        )
        guard !name.isEmpty || !value.isEmpty else { return nil }
        for part in parts where !part.isEmpty {
            let equals = part.utf8.firstIndex(of: 0x3d)
            let value = equals.map { Self.trimmed(String(part[part.utf8.index(after: $0)...])) } ?? ""
            switch Self.trimmed(String(part[..<(equals ?? part.endIndex)])).lowercased() {
            case "domain": domain = value.isEmpty ? nil : value
            case "path": path = value.utf8.first == 0x2f ? value : nil
            case "max-age": maxAge = Int64(value) ?? maxAge
            case "expires": expires = value
            case "secure": isSecure = true
            case "httponly": isHTTPOnly = true
            case "samesite": sameSite = value
            default: otherAttributes.append(part)
            }
        }
    }

    private static func trimmed(_ text: String) -> String {
        let bytes = text.utf8
        guard let first = bytes.firstIndex(where: { $0 != 0x20 && $0 != 0x09 }),
            let last = bytes.lastIndex(where: { $0 != 0x20 && $0 != 0x09 })
        else { return "" }
        return String(text[first...last])
    }
}
