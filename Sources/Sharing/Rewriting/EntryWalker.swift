import Captures
import JSON

/// Goes through an entry of a HAR file (or any other part of it) and writes it anew: headers, cookies and bodies as what
/// they are, everything else, fields of other producers and comments included, as text.
struct EntryWalker {
    let texts: TextWalker
    /// The answer says who somebody is (userinfo, introspection).
    var holdsClaims = false
    /// What the request says of who sent it is a client (``authenticatesClient(_:)``).
    var isOfClient = false
    /// The request goes where somebody signs in (``signsIn(_:)``).
    var isSignIn = false
    /// Looks at a whole text, behind the backs of its parts; nil where nothing changed.
    let sweep: ([UInt8]) -> [UInt8]?
    /// Looks at a number of the file itself that is not called by a name that is secret.
    var number: ([UInt8]) -> [UInt8]? = { _ in nil }
    /// Looks at a text by the work that is handed in, or remembers what came of it the last time.
    var recall: (PlacedText, () -> [UInt8]?) -> [UInt8]? = { $1() }

    func rewriting(_ value: JSONValue, name: String = "") -> JSONValue {
        rewriting(value, name: name, inside: "", [:])
    }

    /// `arguments`: what is given to the variables of a query that stands in the same list, or in another part of the request.
    private func rewriting(
        _ value: JSONValue,
        name: String,
        inside list: String,
        _ arguments: GraphQLVariables.Arguments
    ) -> JSONValue {
        switch value {
        case .string(let text): return .string(string(text, name, arguments))
        case .number(let number):
            let named = NamedText(
                name: name,
                bytes: Array(number.text.utf8),
                container: .json,
                isNumber: true
            )
            guard let other = texts.visit(named) ?? self.number(named.bytes) else { return value }
            return .number(JSONNumber(text: String(decoding: other, as: UTF8.self)))
        case .array(let elements):
            let digits = Self.typedDigits(in: elements, of: name)
            let arguments =
                Self.isOfParameters(name)
                ? GraphQLVariables.arguments(beside: elements).merging(arguments) { own, _ in own } : [:]
            return .array(
                elements.indices.map { index in
                    rewriting(
                        elements[index],
                        name: name,
                        inside: digits.contains(index) ? TypedDigits.name : name,
                        arguments
                    )
                }
            )
        case .object(let object): return .object(self.object(object, called: name, inside: list, arguments))
        default: return value
        }
    }

    private func object(
        _ object: JSONObject,
        called own: String,
        inside list: String,
        _ arguments: GraphQLVariables.Arguments
    ) -> JSONObject {
        if let name = (object["name"] ?? object["key"])?.string,
            let value = object["value"]?.string ?? object["fileName"].map({ _ in "" }), !list.isEmpty
        {
            return pair(object, name, value, inside: list, arguments)
        }
        var result = object
        if object["mimeType"] != nil, let text = object["text"]?.string {
            body(&result, text, isRequest: own == "postData", arguments)
        }
        let isBody = object["mimeType"] != nil
        let ofRequest = own == "request" ? GraphQLVariables.arguments(of: object) : [:]
        result.members = result.members.map { member in
            if isBody, member.name == "text" { return member }
            let given = isBody ? arguments : Self.partsOfRequest.contains(member.name) ? ofRequest : [:]
            return JSONObject.Member(
                name: swept(member.name),
                value: rewriting(member.value, name: member.name, inside: "", given)
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

    /// Of the parameters of a query or a form those that are the digits of a code.
    private static func typedDigits(in elements: [JSONValue], of list: String) -> Set<Int> {
        guard isOfParameters(list) else { return [] }
        return TypedDigits.places(
            in: elements.map { ($0["name"]?.string ?? "", Array(($0["value"]?.string ?? "").utf8)[...]) }
        )
    }

    /// Those in which a query in GraphQL may stand, or its variables.
    private static let partsOfRequest: Set<String> = ["url", "queryString", "postData"]

    private static func isOfParameters(_ list: String) -> Bool { list == "params" || list == "queryString" }

    private func pair(
        _ object: JSONObject,
        _ name: String,
        _ value: String,
        inside list: String,
        _ arguments: GraphQLVariables.Arguments
    ) -> JSONObject {
        var result = object
        let other = pairValue(name, Array(value.utf8), inside: list, arguments)
        result.members = object.members.map { member in
            switch member.name {
            case "name",
                "key" where member.value.string == name:
                JSONObject.Member(name: member.name, value: .string(swept(name)))
            case "value":
                JSONObject.Member(name: "value", value: .string(swept(other.map(Self.text) ?? value)))
            case "fileName" where list == "params":
                JSONObject.Member(name: member.name, value: fileName(member.value))
            default: JSONObject.Member(name: member.name, value: rewriting(member.value, name: member.name))
            }
        }
        return result
    }

    private func pairValue(
        _ name: String,
        _ value: [UInt8],
        inside list: String,
        _ arguments: GraphQLVariables.Arguments
    ) -> [UInt8]? {
        if Self.isOfParameters(list), GraphQLVariables.isVariables(name) {
            return named(name, value, .form, arguments)
        }
        return recall(PlacedText(place: isOfClient ? "client's " + list : list, name: name, bytes: value)) {
            switch list {
            case "headers": header(name, value)
            case "cookies": named(name, value, .cookies)
            case TypedDigits.name: named(TypedDigits.name, value, .form)
            case "queryString", "params": named(name, value, .form)
            // What a tool lists: `{"name": "refresh_token", "value": …}` of a browser's storage.
            default: named(name, value, .json)
            }
        }
    }

    /// What a file of a form is called, with its ending as it was.
    private func fileName(_ value: JSONValue) -> JSONValue {
        guard let text = value.string else { return value }
        let bytes = Array(text.utf8)
        let end = bytes.lastIndex(of: 0x2e) ?? bytes.endIndex
        let stem = Array(bytes[..<end])
        let other = named(SlotReader.fileName, stem, .multipart(boundary: [])) ?? stem
        return .string(swept(Self.text(other + bytes[end...])))
    }

    /// A value with a name, and what stands inside of it.
    private func named(
        _ name: String,
        _ value: [UInt8],
        _ container: TextKind,
        _ arguments: GraphQLVariables.Arguments = [:]
    ) -> [UInt8]? {
        texts.rewritingValue(
            NamedText(name: name, bytes: value, container: container, arguments: arguments)
        )
    }

    private func header(_ name: String, _ value: [UInt8]) -> [UInt8]? {
        if isOfClient, name.lowercased() == "authorization" {
            return texts.rewriting(value, as: .clientAuthorization)
        }
        if let kind = TextKind.ofHeader(name) { return texts.rewriting(value, as: kind) }
        return named(name, value, .text)
    }

    /// Whether the request of an entry goes where clients say who they are: the token endpoint, and those for pushed
    /// requests, device authorization, revocation and introspection.
    static func authenticatesClient(_ entry: JSONValue) -> Bool {
        guard let request = entry["request"]?.object, request["method"]?.string?.uppercased() == "POST" else {
            return false
        }
        let path = request["url"]?.string?.split { $0 == "?" || $0 == "#" }.first ?? ""
        let last = path.split(separator: "/").last?.lowercased() ?? ""
        if ["token", "introspect", "revo", "authoriz"].contains(where: last.containsBytes) { return true }
        if last == "par" || last.hasPrefix("par.") { return true }
        let body = Array((request["postData"]?["text"]?.string ?? "").utf8.prefix(1 << 12))
        return ["grant_type", "client_assertion", "response_type"].contains {
            ByteSearch.index(of: Array($0.utf8), in: body) != nil
        }
    }

    /// Whether the request of an entry goes where somebody signs in, by the last segment of its path: `/login`, `/sign-in`.
    ///
    /// A server action of Next.js is posted to the page itself, and has a list of arguments for its body.
    static func signsIn(_ entry: JSONValue) -> Bool {
        guard let request = entry["request"]?.object, request["method"]?.string?.uppercased() == "POST" else {
            return false
        }
        let path = request["url"]?.string?.split { $0 == "?" || $0 == "#" }.first ?? ""
        return path.split(separator: "/").last.map { SignInCall.isOne(String($0)) } ?? false
    }

    private func string(_ text: String, _ name: String, _ arguments: GraphQLVariables.Arguments) -> String {
        guard !text.isEmpty else { return text }
        let bytes = Array(text.utf8)
        let value = NamedText(
            name: name,
            bytes: bytes,
            container: .json,
            arguments: arguments,
            isPartOfRequest: true
        )
        let work = {
            TextKind.ofHeader(name).map { texts.rewriting(bytes, as: $0) } ?? texts.rewritingValue(value)
        }
        let other =
            arguments.isEmpty ? recall(PlacedText(place: "(member)", name: name, bytes: bytes), work) : work()
        return swept(other.map(Self.text) ?? text)
    }

    private func body(
        _ object: inout JSONObject,
        _ text: String,
        isRequest: Bool,
        _ arguments: GraphQLVariables.Arguments
    ) {
        let isBase64 = object["encoding"]?.string?.lowercased() == "base64" && Self.mayBeBase64(text)
        let bytes = isBase64 ? Base64.decode(text) : Array(text.utf8)
        var kind = Self.kind(of: object["mimeType"]?.string ?? "", bytes)
        if kind == .json,
            holdsClaims || Self.saysWhoSomebodyIs(bytes) || Self.isTokenRequest(bytes)
                || isRequest && Self.answersChallenge(bytes)
        {
            kind = .claims
        }
        if kind == .json, isRequest, isSignIn, bytes.first(where: { $0 > 0x20 }) == 0x5b { kind = .arguments }
        let walked =
            texts.rewriting(bytes, as: kind, arguments: arguments, isPartOfRequest: true)
            ?? (kind == .text ? texts.rewritingEncoded(bytes) : nil)
            ?? texts.rewritingBase64(bytes)
        let read = texts.rewritingDocuments(in: walked ?? bytes) ?? walked
        let swept = sweep(read ?? bytes)
        guard let other = swept ?? read else { return }
        object["text"] = .string(isBase64 ? Base64.encode(other) : Self.text(other))
    }

    /// What a body is: what its media type says where it looks like that, and what it looks like where it does not.
    static func kind(of mediaType: String, _ bytes: [UInt8]) -> TextKind {
        let type = mediaType.lowercased()
        let look = TextKind.guessed(bytes[...])
        if type.hasPrefix("multipart/") {
            let boundary = MultipartForm.boundary(of: mediaType) ?? TextKind.boundary(in: bytes[...]) ?? []
            let isThere = ByteSearch.index(of: [0x2d, 0x2d] + boundary, in: bytes) != nil
            return isThere && !boundary.isEmpty ? .multipart(boundary: boundary) : look
        }
        if case .multipart = look { return look }
        let opensDocument = TextKind.opensDocument(bytes[...])
        if type.hasPrefix("application/x-www-form-urlencoded") {
            return opensDocument || look == .html ? look : .form
        }
        if type.contains("html") || type.contains("xml") {
            return opensDocument || !bytes.contains(0x3c) ? look : .html
        }
        // The addresses in a style sheet are read as those in a page's own.
        if type.hasPrefix("text/css") { return opensDocument ? look : .html }
        // A table whose names stand in quotation marks.
        if type.contains("csv") || type.contains("tab-separated") { return opensDocument ? look : .text }
        if type.contains("json") { return look == .html || look == .form || look == .url ? look : .json }
        if type.contains("javascript") {
            // `a=b&&c(d)` is a script.
            let isCode = bytes.contains { [0x20, 0x22, 0x27, 0x28, 0x3b, 0x60, 0x7b].contains($0) }
            return look == .html || look == .form && !isCode ? look : .json
        }
        return look
    }

    /// Some tools say so of bodies that are not.
    static func mayBeBase64(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            byte.isASCIIAlphanumeric || byte <= 0x20
                || [0x2b, 0x2d, 0x2f, 0x3d, 0x5f].contains(byte)
        }
    }

    /// A token request in JSON, as some providers take it: its members are the protocol's.
    private static func isTokenRequest(_ text: [UInt8]) -> Bool {
        ByteSearch.index(of: Array("\"grant_type\"".utf8), in: Array(text.prefix(1 << 12))) != nil
    }

    /// `{"code": 482913}`, as somebody typed it: six digits, where an error has fewer or is none of a request.
    private static func answersChallenge(_ text: [UInt8]) -> Bool {
        let name = Array("\"code\"".utf8)
        guard let start = ByteSearch.index(of: name, in: Array(text.prefix(1 << 12))) else { return false }
        let value = text[(start + name.count)...].drop { $0 <= 0x20 || $0 == 0x3a }
        return value.prefix { $0.isASCIIDigit }.count == 6
    }

    /// Whether an entry's answer is about a person, or people, by the path of its request: `/me`, `/users/7`, MyInfo's
    /// `/person/…`, SCIM.
    static func isAboutSomebody(_ entry: JSONValue) -> Bool {
        let path = entry["request"]?["url"]?.string?.split { $0 == "?" || $0 == "#" }.first ?? ""
        let segments = path.split(separator: "/").dropFirst(2).map { $0.lowercased() }
        guard let last = segments.last else { return false }
        let before = segments.dropLast().last ?? ""
        return persons.contains(last) || last.hasSuffix("users.identity") || peoples.contains(last)
            || peoples.contains(before) || segments.contains("scim")
    }

    private static let persons: Set<String> = [
        "me", "@me", "user", "userinfo", "profile", "whoami", "myself", "currentuser", "current_user",
        "person",
    ]
    private static let peoples: Set<String> = ["users", "people", "person", "persons", "profiles", "members"]

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
            "street", "street_address", "formatted", "regadd", "dob",
            "postalCode", "city", "addressLine1", "zip", "family", "given", "birthDate",
            // Of a register.
            "lastupdated", "classification", "noa", "noa-basic", "householdincome", "cpfbalances",
            "cpfcontributions",
            // Of mail, which says who wrote to whom.
            "threadId", "snippet", "bodyPreview", "toRecipients", "emailAddress",
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

    private func swept(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return recall(PlacedText(place: PlacedText.anywhere, name: "", bytes: bytes)) { sweep(bytes) }.map(
            Self.text
        )
            ?? text
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
