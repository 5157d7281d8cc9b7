import JSON

/// Cookies that are set by one field, though a server sent a field for each.
extension EntrySpelling {
    /// The header fields of an answer with a `Set-Cookie` for each cookie; nil where that is so, nearly always.
    ///
    /// Python's requests, .NET and Apple's URLSession have one value for each name: `a=1; Path=/, b=2; Path=/`. A server may
    /// send such a field, too, of which browsers take the first cookie alone (RFC 6265, section 3): then their list of cookies
    /// has no second one.
    static func cookiesDivided(_ response: JSONObject) -> JSONValue? {
        guard isJoined(response["headers"]) else { return nil }
        let listed = Set(Producers.fields(response["cookies"]).map(\.name))
        return cookiesDivided(Producers.fields(response["headers"]), listed: listed).map { pairs($0) }
    }

    /// Header fields with a `Set-Cookie` for each cookie; nil where that is so.
    ///
    /// `listed`: names of the cookies that a client is said to have taken; empty where that is not told.
    static func cookiesDivided(_ fields: [HeaderFields.Field], listed: Set<String>) -> [HeaderFields.Field]? {
        guard fields.count(where: isSetCookie) == 1, let joined = fields.firstIndex(where: isSetCookie) else {
            return nil
        }
        let cookies = divided(fields[joined].value)
        guard cookies.count > 1,
            listed.isEmpty || cookies.dropFirst().contains(where: { listed.contains(name(of: $0)) })
        else { return nil }
        let apart = cookies.map {
            HeaderFields.Field(
                name: fields[joined].name,
                value: Producers.withoutBlanksAround(String($0))
            )
        }
        return Array(fields[..<joined] + apart + fields[(joined + 1)...])
    }

    private static func isJoined(_ headers: JSONValue?) -> Bool {
        switch headers {
        case .array(let list)?: list.contains { isJoined($0["name"]?.string, $0["value"]?.string) }
        case .object(let fields)?: fields.members.contains { isJoined($0.name, $0.value.string) }
        default: false
        }
    }

    private static func isJoined(_ name: String?, _ value: String?) -> Bool {
        guard let name, name.equalsIgnoringASCIICase("set-cookie"), let value else { return false }
        return divided(value).count > 1
    }

    private static func isSetCookie(_ field: HeaderFields.Field) -> Bool {
        field.name.equalsIgnoringASCIICase("set-cookie")
    }

    private static func name(of cookie: Substring) -> String {
        String(cookie.prefix { $0 != "=" }).filter { $0 != " " }
    }

    /// The cookies of a field: each ends with its attributes, behind which stand a comma and the next one's name.
    ///
    /// A day of the week (`Expires=Wed, 04 Mar 2026 …`) has no `=` behind what follows it.
    private static func divided(_ field: String) -> [Substring] {
        var cookies: [Substring] = []
        let bytes = field.utf8
        var start = bytes.startIndex
        var hasAttributes = false
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: ";"): hasAttributes = true
            case 0x0a: hasAttributes = false
            case UInt8(ascii: ",") where hasAttributes && beginsCookie(bytes[bytes.index(after: index)...]):
                cookies.append(field[start..<index])
                start = bytes.index(after: index)
                hasAttributes = false
            default: break
            }
        }
        return cookies + [field[start...]]
    }

    private static func beginsCookie(_ bytes: Substring.UTF8View) -> Bool {
        let word = bytes.drop { $0 == 0x20 }
        let rest = word.drop(while: \.isTokenCharacter)
        return rest.startIndex > word.startIndex && rest.first == UInt8(ascii: "=")
    }
}
