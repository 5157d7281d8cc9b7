import Captures
import JSON

/// Goes through an entry of a HAR file (or any other part of it) and writes it anew: headers, cookies and bodies as what
/// they are, everything else, fields of other producers and comments included, as text.
struct EntryWalker {
    let texts: TextWalker
    /// The answer says who somebody is (userinfo, introspection).
    var holdsClaims = false
    /// Looks at a whole text, behind the backs of its parts; nil where nothing changed.
    let sweep: ([UInt8]) -> [UInt8]?
    /// Looks at a number of the file itself that is not called by a name that is secret.
    var number: ([UInt8]) -> [UInt8]? = { _ in nil }

    func rewriting(_ value: JSONValue, name: String = "", inside list: String = "") -> JSONValue {
        switch value {
        case .string(let text): return .string(string(text, name))
        case .number(let number):
            let named = NamedText(
                name: name,
                bytes: Array(number.text.utf8),
                container: .json,
                isNumber: true
            )
            guard let other = texts.visit(named) ?? self.number(named.bytes) else { return value }
            return .number(JSONNumber(text: String(decoding: other, as: UTF8.self)))
        case .array(let elements): return .array(elements.map { rewriting($0, name: name, inside: name) })
        case .object(let object): return .object(self.object(object, inside: list))
        default: return value
        }
    }

    private func object(_ object: JSONObject, inside list: String) -> JSONObject {
        if let name = object["name"]?.string, let value = object["value"]?.string,
            ["headers", "cookies", "queryString", "params"].contains(list)
        {
            return pair(object, name, value, inside: list)
        }
        var result = object
        if object["mimeType"] != nil, let text = object["text"]?.string { body(&result, text) }
        let isBody = object["mimeType"] != nil
        result.members = result.members.map { member in
            if isBody, member.name == "text" { return member }
            return JSONObject.Member(
                name: swept(member.name),
                value: rewriting(member.value, name: member.name)
            )
        }
        // Chrome names a request's body and its parameters; an answer's length is said three times.
        for (part, sized) in [("request", "postData"), ("response", "content")] {
            guard let before = object[part]?.object, var after = result[part]?.object else { continue }
            BodySizes.adjust(&after, sized, before: before)
            result[part] = .object(after)
        }
        return result
    }

    private func pair(_ object: JSONObject, _ name: String, _ value: String, inside list: String)
        -> JSONObject
    {
        var result = object
        let bytes = Array(value.utf8)
        let other: [UInt8]?
        switch list {
        case "headers": other = header(name, bytes)
        case "cookies": other = named(name, bytes, .cookies)
        default: other = named(name, bytes, .form)
        }
        result.members = object.members.map { member in
            switch member.name {
            case "name": JSONObject.Member(name: "name", value: .string(swept(name)))
            case "value":
                JSONObject.Member(name: "value", value: .string(swept(other.map(Self.text) ?? value)))
            default: JSONObject.Member(name: member.name, value: rewriting(member.value, name: member.name))
            }
        }
        return result
    }

    /// A value with a name, and what stands inside of it.
    private func named(_ name: String, _ value: [UInt8], _ container: TextKind) -> [UInt8]? {
        texts.rewritingValue(NamedText(name: name, bytes: value, container: container))
    }

    private func header(_ name: String, _ value: [UInt8]) -> [UInt8]? {
        if let kind = TextKind.ofHeader(name) { return texts.rewriting(value, as: kind) }
        return named(name, value, .text)
    }

    private func string(_ text: String, _ name: String) -> String {
        guard !text.isEmpty else { return text }
        let bytes = Array(text.utf8)
        let other =
            TextKind.ofHeader(name).map { texts.rewriting(bytes, as: $0) } ?? named(name, bytes, .json)
        return swept(other.map(Self.text) ?? text)
    }

    private func body(_ object: inout JSONObject, _ text: String) {
        let isBase64 = object["encoding"]?.string?.lowercased() == "base64" && Self.mayBeBase64(text)
        let bytes = isBase64 ? Base64.decode(text) : Array(text.utf8)
        var kind = Self.kind(of: object["mimeType"]?.string ?? "", bytes)
        if kind == .json, holdsClaims || Self.saysWhoSomebodyIs(bytes) || Self.isTokenRequest(bytes) {
            kind = .claims
        }
        let walked = texts.rewriting(bytes, as: kind)
        let swept = sweep(walked ?? bytes)
        guard let other = swept ?? walked else { return }
        object["text"] = .string(isBase64 ? Base64.encode(other) : Self.text(other))
    }

    /// What a body is by its media type, or looks like.
    static func kind(of mediaType: String, _ bytes: [UInt8]) -> TextKind {
        let type = mediaType.lowercased()
        if type.hasPrefix("application/x-www-form-urlencoded") { return .form }
        if type.hasPrefix("multipart/") {
            return .multipart(
                boundary: MultipartForm.boundary(of: mediaType) ?? TextKind.boundary(in: bytes[...]) ?? []
            )
        }
        if type.contains("html") || type.contains("xml") { return .html }
        if type.contains("json") || type.contains("javascript") { return .json }
        return TextKind.guessed(bytes[...])
    }

    /// Some tools say so of bodies that are not.
    static func mayBeBase64(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte & 0xdf) || byte <= 0x20
                || [0x2b, 0x2d, 0x2f, 0x3d, 0x5f].contains(byte)
        }
    }

    /// A token request in JSON, as some providers take it: its members are the protocol's.
    private static func isTokenRequest(_ text: [UInt8]) -> Bool {
        ByteSearch.index(of: Array("\"grant_type\"".utf8), in: Array(text.prefix(1 << 12))) != nil
    }

    /// Whether a document has at least two members that only people have.
    static func saysWhoSomebodyIs(_ text: [UInt8]) -> Bool {
        let names = [
            "email", "mail", "given_name", "givenName", "family_name", "familyName", "firstName",
            "first_name",
            "lastName", "last_name", "sub", "phone_number", "phoneNumber", "phone", "birthdate", "uinfin",
            "mobileno",
            "preferred_username", "username", "userName", "displayName", "UserAttributes", "user_claims",
            "user_id",
            "Username", "picture", "image", "avatar", "user",
            "street",
            "postalCode", "city", "addressLine1", "zip",
        ]
        let head = Array(text.prefix(1 << 16))
        var count = 0
        for name in names {
            let quoted = Array("\"\(name)\"".utf8)
            // A member of it, and no value.
            guard let start = ByteSearch.index(of: quoted, in: head),
                head[(start + quoted.count)...].first(where: { $0 > 0x20 }) == 0x3a
            else { continue }
            count += 1
            if count == 2 { return true }
        }
        return false
    }

    private func swept(_ text: String) -> String { sweep(Array(text.utf8)).map(Self.text) ?? text }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
