/// The cookies of a `Cookie` header field (RFC 6265, section 4.2), in order.
package enum CookieHeader {
    /// Pairs of name and value; quotes around a value are kept, since servers differ on them.
    package static func pairs(_ value: String) -> [HeaderFields.Field] {
        value.utf8.split(separator: 0x3b).compactMap { part in
            let trimmed = String(part.drop(while: \.isBlank)) ?? ""
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

    /// The same of a field whose bytes may be no UTF-8: each pair is read as the field is.
    package static func pairs(of field: HeaderFields.Field) -> [HeaderFields.Field] {
        guard field.isLatin1 else { return pairs(field.value) }
        return pairs(field.value).map { HeaderFields.Field(name: $0.name, value: $0.value, isLatin1: true) }
    }

    /// The field that brings these cookies, in order.
    package static func field(of cookies: some Sequence<HeaderFields.Field>) -> HeaderFields.Field {
        let pairs = cookies.map { SentText("\($0.name)=\($0.value)", isLatin1: $0.isLatin1) }
        return HeaderFields.Field(name: SentText("Cookie"), value: pairs.joined(separator: "; "))
    }
}

extension RecordedRequest {
    /// The cookies sent: of the `Cookie` headers, else of the HAR's `cookies` array.
    package var cookies: [HeaderFields.Field] {
        let fields = headers.fields.filter { $0.name.equalsIgnoringASCIICase("cookie") }
        let sent = fields.flatMap(CookieHeader.pairs(of:))
        // A sanitizer's word in the place of a value (`Cookie: REDACTED`) names no cookie.
        return listedCookies.isEmpty || sent.contains { !$0.name.isEmpty } ? sent : listedCookies
    }

    package func cookie(_ name: String) -> String? { cookies.first { $0.name == name }?.value }
}

extension RecordedResponse {
    /// The cookies set: of the `Set-Cookie` headers, else of the HAR's `cookies` array.
    package var setCookies: [SetCookie] {
        let cookies = sentCookies
        guard !listedCookies.isEmpty else { return cookies }
        // A sanitizer's word in the place of a value is no cookie.
        if cookies.isEmpty { return listedCookies }
        return cookies + cookiesLeftOut(behind: cookies)
    }

    /// Those of the `Set-Cookie` headers.
    private var sentCookies: [SetCookie] {
        var cookies: [SetCookie] = []
        for field in headers.fields where field.name.equalsIgnoringASCIICase("set-cookie") {
            var value = field.value
            value.withUTF8 { bytes in
                // Firefox and some recorders fold several fields into one, separated by line feeds.
                for line in bytes.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
                    guard var cookie = SetCookie(UnsafeBufferPointer(rebasing: line)) else { continue }
                    cookie.isLatin1 = field.isLatin1
                    cookies.append(cookie)
                }
            }
        }
        return cookies
    }

    /// The rest of the list where there is a header for its first cookie alone: Flutter's DevTools write the first value of each
    /// header only.
    private func cookiesLeftOut(behind sent: [SetCookie]) -> ArraySlice<SetCookie> {
        guard sent.count == 1, let first = listedCookies.first, first.name == sent[0].name,
            first.value == sent[0].value
        else { return [] }
        return listedCookies.dropFirst()
    }
}

extension SetCookie {
    /// Takes apart a `Set-Cookie` value as a user agent does; nil without `=` or with an empty name and
    /// value.
    package init?(parsing field: String) {
        var field = field
        guard let cookie = field.withUTF8({ SetCookie($0) }) else { return nil }
        self = cookie
    }

    /// Every answer of a recording comes by here: text is made only of what is kept.
    fileprivate init?(_ field: UnsafeBufferPointer<UInt8>) {
        var end = field.firstIndex(of: 0x3b) ?? field.count
        guard let equals = field[..<end].firstIndex(of: 0x3d) else { return nil }
        self.init(name: Self.text(field[..<equals]), value: Self.text(field[(equals + 1)..<end]))
        guard !name.isEmpty || !value.isEmpty else { return nil }
        while end < field.count {
            let start = end + 1
            end = field[start...].firstIndex(of: 0x3b) ?? field.count
            add(attribute: Self.trimmed(field[start..<end]))
        }
    }

    private mutating func add(attribute: Slice<UnsafeBufferPointer<UInt8>>) {
        guard !attribute.isEmpty else { return }
        let equals = attribute.firstIndex(of: 0x3d)
        let name = UnsafeBufferPointer(rebasing: Self.trimmed(attribute[..<(equals ?? attribute.endIndex)]))
        let value = equals.map { Self.text(attribute[($0 + 1)...]) } ?? ""
        func isCalled(_ known: StaticString) -> Bool { ASCIICase.areEqual(name, known) }
        if isCalled("domain") {
            domain = value.isEmpty ? nil : value
        } else if isCalled("path") {
            path = value.utf8.first == 0x2f ? value : nil
        } else if isCalled("max-age") {
            maxAge = Int64(value) ?? maxAge
        } else if isCalled("expires") {
            expires = value
        } else if isCalled("secure") {
            isSecure = true
        } else if isCalled("httponly") {
            isHTTPOnly = true
        } else if isCalled("samesite") {
            sameSite = value
        } else {
            otherAttributes.append(Self.text(attribute))
        }
    }

    private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: trimmed(bytes)), as: UTF8.self)
    }

    private static func trimmed(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Slice<
        UnsafeBufferPointer<UInt8>
    > {
        var (lower, upper) = (bytes.startIndex, bytes.endIndex)
        while lower < upper, bytes[lower].isBlank { lower += 1 }
        while upper > lower, bytes[upper - 1].isBlank { upper -= 1 }
        return bytes[lower..<upper]
    }
}
