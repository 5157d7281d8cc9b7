import Captures

/// What a text is, so far as it says where its parts begin.
enum TextKind: Sendable, Hashable {
    case url
    /// The value of a `Refresh` header.
    case refresh
    /// The value of a `Link` header.
    case links
    /// `name=value` or `name: value`, a line each.
    case lines
    /// `name=value&…`, a query or a form.
    case form
    /// The value of a `Cookie` header.
    case cookies
    /// The value of a `Set-Cookie` header.
    case setCookie
    /// The value of a `baggage` header: `name=value`, several with commas between, each with properties behind semicolons.
    case baggage
    /// The value of an `Authorization` header.
    case authorization
    /// The same, where a client says who it is.
    case clientAuthorization
    /// `user:password`, as Basic has it.
    case userPassword
    /// `client_id:client_secret` (RFC 6749, section 2.3.1).
    case clientPassword
    case json
    /// JSON whose members say who somebody is: the claims of a token, a userinfo answer.
    case claims
    /// A list in JSON of what a sign-in is given, by its place.
    case arguments
    case html
    /// The value of a `Content-Disposition` header.
    case disposition
    /// `multipart/form-data`, with this boundary.
    case multipart(boundary: [UInt8])
    /// The identifier of an object with the object's type before it, as GraphQL servers give it out: `User:1048219`,
    /// `gid://shop/Customer/1048219`.
    case globalID
    /// Nothing is known of it.
    case text

    /// What the value of a header is; nil for one that is read as it looks.
    static func ofHeader(_ name: String) -> TextKind? { ofHeaders[name.lowercased()] }

    /// By the header's name, in small letters.
    static let ofHeaders: [String: TextKind] = [
        "cookie": .cookies, "cookie2": .cookies, "set-cookie": .setCookie, "set-cookie2": .setCookie,
        "refresh": .refresh, "link": .links, "content-disposition": .disposition,
        "baggage": .baggage,
        "authorization": .authorization, "proxy-authorization": .authorization,
    ]

    /// What a value seems to be.
    static func guessed(_ text: ArraySlice<UInt8>) -> TextKind {
        let start = withoutMark(text).drop { $0 <= 0x20 }
        guard let first = start.first else { return .text }
        if let boundary = boundary(in: text) { return .multipart(boundary: boundary) }
        if first == 0x5b, isSection(start), isLines(start) { return .lines }
        if first == 0x22, start.last == 0x3e, !MailboxSlots.slots(in: start).isEmpty { return .text }
        if first == 0x7b || first == 0x5b || first == 0x22 { return .json }
        if first == 0x3c { return PrintedCookies.begin(start) ? .text : .html }
        // A reference that is a query or a fragment only.
        if first == 0x3f || first == 0x23 { return isForm(start.dropFirst()) ? .url : .text }
        if GlobalID(start) != nil { return .globalID }
        if ClaimLines.begin(start) { return .lines }
        if isURL(start) || isReference(start) { return .url }
        if isForm(start) || isConnection(start) { return .form }
        if isLines(start) { return .lines }
        return holdsCode(start) ? .json : .text
    }

    /// Without the byte order mark in front.
    static func withoutMark(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text.starts(with: [0xef, 0xbb, 0xbf]) ? text.dropFirst(3) : text
    }

    /// Whether a text begins as an object or a list of JSON does, and no template or sentence.
    static func opensDocument(_ text: ArraySlice<UInt8>) -> Bool {
        let start = withoutMark(text).drop { $0 <= 0x20 }
        guard let first = start.first, let next = start.dropFirst().first(where: { $0 > 0x20 }) else {
            return false
        }
        switch first {
        case 0x7b: return next == 0x22 || next == 0x27 || next == 0x7d
        case 0x5b: return next == 0x22 || next == 0x5b || next == 0x5d || next == 0x7b
        case 0x22: return start.last { $0 > 0x20 } == 0x22 && start.contains(0x5c)
        default: return false
        }
    }

    /// A script, a query in GraphQL, JSON with a number in front: names with strings behind them, between brackets.
    private static func holdsCode(_ text: ArraySlice<UInt8>) -> Bool {
        // Of a query, what a variable is by default.
        let mark: UInt8 = GraphQLVariables.isOperation(text) ? 0x3d : 0x3a
        return text.contains { $0 == 0x7b || $0 == 0x5b || $0 == 0x28 }
            && text.indices.dropLast().contains {
                (text[$0] == 0x3a || text[$0] == mark)
                    && text[$0 + 1...min($0 + 2, text.endIndex - 1)].contains(0x22)
            }
    }

    /// Of a form that is cut, as some tools write the first part of one: the line before a part's first header.
    static func boundary(in text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.contains(0x0a),
            let header = text.firstRange(of: Array("\nContent-Disposition: form-data".utf8))?.lowerBound
        else { return nil }
        let start = text[..<header].lastIndex(of: 0x0a).map { $0 + 1 } ?? text.startIndex
        let line = text[start..<header].filter { $0 != 0x0d }
        return line.starts(with: [0x2d, 0x2d]) && line.count > 2 ? Array(line.dropFirst(2)) : nil
    }

    /// Whether a text is `name=value` or `name: value`, a line each.
    static func isLines(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.contains(0x0a) else { return false }
        return text.prefix(1 << 12).split(separator: 0x0a).prefix(4).contains { line in
            guard let mark = line.firstIndex(where: { $0 == 0x3d || $0 == 0x3a }), mark > line.startIndex
            else {
                return false
            }
            if line[..<mark].allSatisfy(isNameByte) { return true }
            // `password = x`, as files of settings have it; what has braces is a program.
            let name = line[..<mark].prefix(while: isNameByte)
            return line[mark] == 0x3d && !name.isEmpty && line[name.endIndex..<mark].allSatisfy { $0 == 0x20 }
                && !text.prefix(1 << 12).contains(0x7b)
        }
    }

    /// `[default]`, the first line of a file of settings.
    private static func isSection(_ text: ArraySlice<UInt8>) -> Bool {
        let line = text.prefix { $0 != 0x0a && $0 != 0x0d }
        return line.count < 64 && line.last == 0x5d
            && line.dropFirst().dropLast().allSatisfy {
                $0.isASCIILetter
            }
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric
            || [0x2d, 0x2e, 0x5f, 0x5b, 0x5d, 0x25].contains(byte)
    }

    /// Without what says that Java's drivers shall read an address: `jdbc:postgresql://…`.
    static func withoutDriver(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text.starts(with: "jdbc:".utf8) ? text.dropFirst(5) : text
    }

    /// `Server=db;User Id=app;Password=Zk9wq`: names with spaces in them and values, a semicolon between, and a password among
    /// them.
    static func isConnection(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count <= 1 << 12, text.contains(0x3b), !text.contains(0x0a), !text.contains(0x26) else {
            return false
        }
        let names = text.split(separator: 0x3b).filter { part in part.contains { $0 > 0x20 } }.map { part in
            part.contains(0x3d) ? part.prefix { $0 != 0x3d }.drop { $0 == 0x20 } : []
        }
        return names.count >= 3
            && names.allSatisfy { name in
                !name.isEmpty && name.count <= 32 && name.allSatisfy { isNameByte($0) || $0 == 0x20 }
            }
            && names.contains { ["password", "pwd"].contains(SecretRoles.normalized(SlotReader.string($0))) }
    }

    private static func isURL(_ text: ArraySlice<UInt8>) -> Bool {
        let text = withoutDriver(text)
        if text.first == 0x2f {
            let slashes = text.filter { $0 == 0x2f }.count
            return text.contains(0x3f) || text.contains(0x23)
                || slashes > 1 && !text.contains(0x2b) && !text.contains(0x3d)
        }
        guard let colon = text.prefix(64).firstIndex(of: 0x3a), colon > text.startIndex else { return false }
        let scheme = text[..<colon].allSatisfy { byte in
            byte.isASCIIAlphanumeric
                || [0x2b, 0x2d, 0x2e].contains(byte)
        }
        return scheme && text[(colon + 1)...].starts(with: "//".utf8)
            // An app's own scheme is a domain name the other way round (RFC 8252, section 7.1).
            || scheme && text[(colon + 1)...].first == 0x2f
                && (text.contains(0x3f) || text[..<colon].contains(0x2e))
            || scheme && colon - text.startIndex > 1 && hasParameters(text[(colon + 1)...])
    }

    /// `users.add?auth=…`: a reference without a slash, as the calls of a batch are.
    private static func isReference(_ text: ArraySlice<UInt8>) -> Bool {
        guard let mark = text.firstIndex(of: 0x3f) else { return false }
        let path = text[..<mark]
        return isForm(text[(mark + 1)...]) && path.contains { $0 == 0x2e || $0 == 0x2f }
            && path.allSatisfy { isNameByte($0) || $0 == 0x2f }
    }

    /// `cb?code=…`, `/cb#access_token=…`: what stands behind the scheme of an app's own.
    private static func hasParameters(_ text: ArraySlice<UInt8>) -> Bool {
        guard let mark = text.firstIndex(where: { $0 == 0x3f || $0 == 0x23 || $0 <= 0x20 }),
            text[mark] > 0x20
        else { return false }
        return isForm(text[(mark + 1)...]) && text[..<mark].allSatisfy { isNameByte($0) || $0 == 0x2f }
    }

    private static func isForm(_ text: ArraySlice<UInt8>) -> Bool {
        guard let equals = text.prefix(80).firstIndex(of: 0x3d), equals > text.startIndex,
            equals + 1 < text.endIndex,
            text[equals + 1] != 0x3d
        else { return false }
        // Some write spaces as they are.
        return text[..<equals].allSatisfy(isNameByte) && !text.contains(0x0a)
            && (!text.contains(0x20) || text.contains(0x26))
            && (!text.contains(0x2c) || DirectoryNameSlots.slots(in: text).isEmpty)
    }
}
