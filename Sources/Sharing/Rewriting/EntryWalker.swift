import Captures
import JSON

/// Goes through an entry of a HAR file (or any other part of it) and writes it anew: headers, cookies and bodies as what
/// they are, everything else, fields of other producers and comments included, as text.
struct EntryWalker {
    let texts: TextWalker
    /// The answer says who somebody is (userinfo, introspection).
    var holdsClaims = false
    /// What the request says of who sent it is a client (``EntrySubject/authenticatesClient(_:)``).
    var isOfClient = false
    /// The request goes where somebody signs in (``EntrySubject/signsIn(_:)``).
    var isSignIn = false
    /// Looks at a whole text, behind the backs of its parts; nil where nothing changed.
    let sweep: ([UInt8]) -> [UInt8]?
    /// Looks at a number of the file itself that is not called by a name that is secret.
    var number: ([UInt8]) -> [UInt8]? = { _ in nil }
    /// Looks at a text by the work that is handed in, or remembers what came of it the last time.
    var recall: (PlacedText, () -> [UInt8]?) -> [UInt8]? = { $1() }
    /// Looks at a body by the work that is handed in, unless the same is known to come to nothing.
    var recallBody: (KnownBody, () -> [UInt8]?) -> [UInt8]? = { $1() }

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
            let lists = Self.lists(of: elements, in: name)
            let arguments =
                Self.isOfParameters(name)
                ? GraphQLVariables.arguments(beside: elements).merging(arguments) { own, _ in own } : [:]
            return .array(
                elements.indices.map { index in
                    listed(elements[index])
                        ?? rewriting(
                            elements[index],
                            name: name,
                            inside: lists[index] ?? name,
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

    /// A pair of a list of such, whose first text says what the second is, `["password", "…"]`; nil for others.
    private func listed(_ element: JSONValue) -> JSONValue? {
        guard let pair = element.array, pair.count == 2,
            let name = pair[0].string, let value = pair[1].string,
            ScriptSlots.isTelling(name), !LabelTexts.says(Array(value.utf8)[...], name),
            !SecretRoles.isWord(value)
        else { return nil }
        return .array([.string(swept(name)), .string(string(value, name, [:]))])
    }

    /// Of the parameters of a query or a form those that are the digits of a code, or an account by what stands beside them.
    private static func lists(of elements: [JSONValue], in list: String) -> [Int: String] {
        guard isOfParameters(list) else { return [:] }
        let fields = elements.map { element in
            (name: element["name"]?.string ?? "", value: Array((element["value"]?.string ?? "").utf8)[...])
        }
        let digits = TypedDigits.places(in: fields).map { ($0, TypedDigits.name) }
        let accounts = FormAccounts.places(in: fields).map { ($0, FormAccounts.list) }
        return Dictionary(digits + accounts) { digit, _ in digit }
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
            case FormAccounts.list: named(FormAccounts.name, value, .form)
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
        let isBase64 = object["encoding"]?.string?.lowercased() == "base64" && BodyKind.mayBeBase64(text)
        let bytes = isBase64 ? Base64.decode(text) : Array(text.utf8)
        var kind = BodyKind.kind(of: object["mimeType"]?.string ?? "", bytes)
        if kind == .json,
            holdsClaims || EntrySubject.saysWhoSomebodyIs(bytes) || EntrySubject.isTokenRequest(bytes)
                || isRequest && EntrySubject.answersChallenge(bytes)
        {
            kind = .claims
        }
        if kind == .json, isRequest, isSignIn, bytes.first(where: { $0 > 0x20 }) == 0x5b { kind = .arguments }
        let other =
            arguments.isEmpty
            ? recallBody(KnownBody(bytes, as: kind)) { rewriting(bytes, as: kind, arguments) }
            : rewriting(bytes, as: kind, arguments)
        guard let other else { return }
        object["text"] = .string(isBase64 ? Base64.encode(other) : Self.text(other))
    }

    /// A body with other values in it; nil where nothing changed.
    private func rewriting(_ body: [UInt8], as kind: TextKind, _ arguments: GraphQLVariables.Arguments)
        -> [UInt8]?
    {
        let walked =
            texts.rewriting(body, as: kind, arguments: arguments, isPartOfRequest: true)
            ?? (kind == .text ? texts.rewritingEncoded(body) : nil)
            ?? texts.rewritingBase64(body)
        let read = texts.rewritingDocuments(in: walked ?? body) ?? walked
        return sweep(read ?? body) ?? read
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
