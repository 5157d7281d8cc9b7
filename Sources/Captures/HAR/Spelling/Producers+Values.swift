import JSON

/// Values in the wrong type, as loosely typed programs write them.
extension Producers {
    /// What a database exports with its type (MongoDB's extended JSON, `{"$numberInt":"200"}`) without it; others as they stand.
    static func untyped(_ value: JSONValue?) -> JSONValue? {
        guard case .object(let object)? = value, object.members.count == 1,
            numberTypes.contains(object.members[0].name)
        else { return value }
        return object.members[0].value
    }

    private static let numberTypes: Set<String> = [
        "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal",
    ]

    /// A text; numbers and truths as they stand.
    static func text(_ value: JSONValue?) -> String? {
        switch untyped(value) {
        case .string(let text): text
        case .number(let number): number.text
        case .bool(let bool): bool ? "true" : "false"
        default: nil
        }
    }

    /// An integer; also one in a text (WebPageTest, HttpWatch).
    static func integer(_ value: JSONValue?) -> Int64? {
        switch untyped(value) {
        case .number(let number): number.int
        case .string(let text): JSONNumber(text: trimmed(text)).int
        default: nil
        }
    }

    /// A status code; also one with its words behind it, as they stand in a status line.
    static func status(_ value: JSONValue?) -> Int64? {
        if let number = integer(value) { return number }
        guard let line = value?.string?.utf8, line.count > 3, line.prefix(3).allSatisfy(\.isASCIIDigit),
            line.dropFirst(3).first == 0x20
        else { return nil }
        return Int64(String(decoding: line.prefix(3), as: UTF8.self))
    }

    /// The URL; a target as it stands on the wire (RFC 9112, section 3.2.1) with the server that the fields name.
    ///
    /// It may begin with the server all the same. Where they do not name the scheme it is `https`, but on the machine itself.
    static func url(of request: JSONObject) -> String {
        let target = text(request["url"]) ?? ""
        if isURLAsSent(request) { return target }
        return url(ofTarget: target, HAREntry.headers(request["headers"])) ?? target
    }

    /// A target as the URL that it is with the server and the scheme that `fields` name; nil where it has a scheme, or nothing
    /// tells whose it is.
    static func url(ofTarget target: String, _ fields: @autoclosure () -> HeaderFields) -> String? {
        guard let (server, path, told) = server(of: target, fields) else { return nil }
        let scheme = told ?? (LoopbackHost.isLoopback(server.host ?? "") ? "http" : "https")
        return "\(scheme)://\(server.hostAndPort ?? "")\(path)"
    }

    /// Whether the recorder has seen that the target was no more than this: a malformed one.
    static func isURLAsSent(_ request: JSONObject) -> Bool {
        request["_authreel"]?["urlAsSent"]?.bool == true
    }

    /// Whether the URL of a request is read as it stands there.
    static func isWhole(_ url: String, _ method: String, _ fields: HeaderFields) -> Bool {
        self.url(ofTarget: url, fields) == nil && HAREntry.absolute(url, method: method) == url
    }

    /// Whether nothing in a request tells by which scheme it was sent.
    static func isSchemeGuessed(of request: JSONObject) -> Bool {
        !isURLAsSent(request)
            && isSchemeGuessed(of: text(request["url"]) ?? "", HAREntry.headers(request["headers"]))
    }

    /// The same of a target and the fields that came with it.
    static func isSchemeGuessed(of target: String, _ fields: @autoclosure () -> HeaderFields) -> Bool {
        server(of: target, fields).map { $0.scheme == nil } ?? false
    }

    /// What a URL without scheme lacks, or has in front of its path: its server, as a URL, and the scheme, where that is told.
    private static func server(of target: String, _ fields: () -> HeaderFields) -> (
        server: RecordedURL, path: Substring, scheme: String?
    )? {
        guard lacksScheme(target) else { return nil }
        let fields = fields()
        let named = fields.first("host") ?? fields.first(":authority")
        let host: String
        let path: Substring
        if target.hasPrefix("//") {
            host = String(target.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" })
            path = target.dropFirst(2 + host.count)
        } else if let named, target.hasPrefix("/") || target.hasPrefix(named + "/") {
            host = named
            path = target.hasPrefix("/") ? target[...] : target.dropFirst(named.count)
        } else if named == nil, let place = placeBeforePath(target) {
            host = place
            path = target.dropFirst(place.count)
        } else {
            return nil
        }
        guard ExchangeAssembler.isSoundHost(host) else { return nil }
        let server = RecordedURL("http://\(host)/")
        let schemes = ["https", "http"]
        let scheme =
            schemes.first { $0 == fields.first(":scheme") }
            ?? schemes.first { fields.first("origin") == "\($0)://\(host)" }
            ?? schemes.first { fields.first("referer")?.hasPrefix("\($0)://\(host)/") ?? false }
            ?? server.explicitPort.flatMap { schemesOfPorts[$0] }
        return (server, path, scheme)
    }

    private static let schemesOfPorts = [80: "http", 443: "https", 8443: "https"]

    /// Whether a URL is a path, or begins with its server: what stands before the first slash is no scheme.
    private static func lacksScheme(_ url: String) -> Bool {
        guard let slash = url.utf8.firstIndex(of: 0x2f) else { return false }
        return url.utf8[..<slash].last != 0x3a
    }

    /// What stands before the first slash, where it is a host beyond doubt, with a port or without: a name with a dot in it, an
    /// address, or `localhost`.
    private static func placeBeforePath(_ target: String) -> String? {
        let place = target.utf8.prefix { $0 != 0x2f }
        let parts = place.split(separator: 0x3a, omittingEmptySubsequences: false)
        guard place.count < 260, parts.count <= 2, let host = parts.first,
            parts.count == 1 || UInt16(String(decoding: parts[1], as: UTF8.self)) != nil
        else { return nil }
        let labels = host.split(separator: 0x2e, omittingEmptySubsequences: false)
        guard
            labels.allSatisfy({ label in
                !label.isEmpty && label.allSatisfy { $0.isASCIIAlphanumeric || $0 == 0x2d || $0 == 0x5f }
            }), let last = labels.last
        else { return nil }
        let word = String(decoding: last, as: UTF8.self).lowercased()
        // `v2.0/token` is a path, and so is `index.php/login`.
        let isName = labels.count > 1 && !endingsOfFiles.contains(word) && !last.allSatisfy(\.isASCIIDigit)
        let isAddress =
            labels.count == 4 && labels.allSatisfy { UInt8(String(decoding: $0, as: UTF8.self)) != nil }
        return isName || isAddress || word == "localhost" ? String(decoding: place, as: UTF8.self) : nil
    }

    private static let endingsOfFiles: Set<String> = ["php", "asp", "aspx", "jsp", "cgi", "htm", "html"]

    /// Whether the URL stands in the request as it is read.
    static func isWhole(urlOf request: JSONValue?) -> Bool {
        guard let request = request?.object, let url = request["url"]?.string else { return true }
        return !lacksScheme(url) || self.url(of: request) == url
    }

    /// Whether a request has a path for its URL, and nothing in it tells whose it is.
    static func isWithoutServer(_ request: JSONValue?) -> Bool {
        guard let request = request?.object, let url = request["url"]?.string else { return false }
        return url.hasPrefix("/") && self.url(of: request) == url
    }

    /// A number; also one in a text.
    static func number(_ value: JSONValue?) -> Double? {
        let number: Double?
        switch untyped(value) {
        case .number(let text): number = text.double
        case .string(let text): number = Double(trimmed(text))
        default: return nil
        }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    private static func trimmed(_ text: String) -> String {
        let bytes = text.utf8
        guard bytes.first == 0x20 || bytes.last == 0x20 else { return text }
        return String(decoding: bytes.filter { $0 != 0x20 }, as: UTF8.self)
    }

    static func hasBlanksAround(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last else { return false }
        return first.isBlank || last.isBlank
    }

    static func withoutBlanksAround(_ text: String) -> String {
        let inner = text.utf8.drop(while: \.isBlank)
        let end = inner.lastIndex { !$0.isBlank }.map(inner.index(after:))
        return String(decoding: inner[..<(end ?? inner.startIndex)], as: UTF8.self)
    }

    /// The method of a request.
    static func method(of request: JSONObject) -> String {
        // The recorder has seen the bytes.
        let isAsSent = request["_authreel"]?["methodAsSent"]?.bool == true
        return isAsSent ? text(request["method"]) ?? "" : method(request["method"])
    }

    /// The method; loggers in scripts write it as their library's options had it.
    static func method(_ value: JSONValue?) -> String { method(text(value) ?? "") }

    static func method(_ text: String) -> String {
        guard text.utf8.first.map({ $0 >= 0x61 }) == true else { return text }
        // Methods are case-sensitive (RFC 9110, section 9.1), and all that are registered are in upper case.
        let upper = text.uppercased()
        return registeredMethods.contains(upper) ? upper : text
    }

    private static let registeredMethods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
    ]

    /// The query that stands in `queryString` alone, as Insomnia and others write it; empty where the URL has one.
    ///
    /// Values that are percent-encoded stay as they are.
    static func query(missingIn url: String, of request: JSONObject) -> String {
        guard let list = request["queryString"], list.array?.isEmpty == false,
            !url.utf8.contains(0x3f), !url.utf8.contains(0x23), url.utf8.contains(0x3a)
        else { return "" }
        let fields = fields(list)
        // As they stood in the URL: a plus sign is one of theirs.
        let areEncoded = FormBody.areEncoded(fields.map(\.value))
        let pairs = fields.map {
            areEncoded ? "\($0.name)=\($0.value)" : "\(queryPart($0.name))=\(queryPart($0.value))"
        }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    private static func queryPart(_ text: String) -> String {
        let isEncoded = text.utf8.contains(0x25) && PercentEncoding.decode(text) != text
        return isEncoded ? text : PercentEncoding.encode(text)
    }

    /// Header fields, cookies or parameters.
    ///
    /// Besides HAR's objects: pairs as lists of two (Slack), lines of text, names and values by turns (Node's `rawHeaders`), and
    /// objects with a member for each name, the value of which may be a list (HTTP Toolkit, request loggers in scripts), also as
    /// a text, be it as Python prints them.
    static func fields(_ value: JSONValue?) -> [HeaderFields.Field] {
        switch value {
        case .array(let list) where isByTurns(list):
            return stride(from: 0, to: list.count, by: 2).map { index in
                HeaderFields.Field(name: list[index].string ?? "", value: list[index + 1].string ?? "")
            }
        case .array(let list):
            var fields: [HeaderFields.Field] = []
            fields.reserveCapacity(list.count)
            for element in list {
                // As HAR wants it, nearly always.
                if let name = element["name"]?.string, let value = element["value"]?.string {
                    let isLatin1 = element.object.map(isLatin1) ?? false
                    fields.append(HeaderFields.Field(name: name, value: value, isLatin1: isLatin1))
                } else {
                    fields += self.fields(ofElement: element)
                }
            }
            return fields
        case .object(let object):
            let isList = isNumbered(object)
            return object.members.flatMap { member in
                if isList, case .object(let element) = member.value {
                    return fields(ofElement: .object(element))
                }
                return (member.value.array ?? [member.value]).compactMap { value in
                    (text(value) ?? (value == .null ? "" : nil)).map {
                        HeaderFields.Field(name: member.name, value: $0)
                    }
                }
            }
        case .string(let block):
            if block.utf8.first == UInt8(ascii: "{"), let object = EntrySpelling.lenientValue(block)?.object {
                return fields(.object(object))
            }
            return lines(block)
        default: return []
        }
    }

    /// Whether names and values stand in a list by turns: then no name is a line of its own.
    private static func isByTurns(_ list: [JSONValue]) -> Bool {
        guard case .string? = list.first, list.count % 2 == 0 else { return false }
        return list.indices.allSatisfy { index in
            guard let text = list[index].string else { return false }
            // A colon stands before the names of HTTP/2's own.
            let name = text.utf8.dropFirst(text.utf8.first == 0x3a ? 1 : 0)
            return index % 2 == 1 || !name.isEmpty && name.allSatisfy(\.isTokenCharacter)
        }
    }

    /// Whether an object is a list whose elements lost their brackets, as PHP writes one with a gap: `{"0":{…},"2":{…}}`.
    static func isNumbered(_ object: JSONObject) -> Bool {
        object.members.allSatisfy { member in member.name.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    }

    /// Whether ``fields(_:)`` has all that an object says: values within values are named by no field.
    static func areFields(_ object: JSONObject) -> Bool {
        isNumbered(object)
            || !object.members.contains { member in
                if case .object = member.value { return true }
                return member.value.array?.contains { $0.object != nil || $0.array != nil } ?? false
            }
    }

    /// Whether the recorder has noted that the bytes of a text were no UTF-8.
    static func isLatin1(_ object: JSONObject) -> Bool {
        object.members.count > 2 && object["_authreel"]?["latin1"]?.bool == true
    }

    private static func fields(ofElement element: JSONValue) -> [HeaderFields.Field] {
        switch element {
        case .object(let object):
            let object = EntrySpelling.pair(object)
            guard let name = text(object["name"] ?? object["key"]) else {
                // Each field as an object of its own: `{"Accept":"*/*"}`.
                let isField =
                    object.members.count == 1 && areFields(object)
                    && !["name", "key", "value"].contains { object[$0] != nil }
                return isField ? fields(.object(object)) : []
            }
            let value = object["value"]
            if let list = value?.array { return list.compactMap(text).map { .init(name: name, value: $0) } }
            return [HeaderFields.Field(name: name, value: text(value) ?? "")]
        case .array(let pair):
            guard pair.count == 2, let name = text(pair[0]) else { return [] }
            return [HeaderFields.Field(name: name, value: text(pair[1]) ?? "")]
        case .string(let line): return lines(line)
        default: return []
        }
    }

    /// Fields as they stand on the wire; a name that begins with a colon is one of HTTP/2's.
    private static func lines(_ block: String) -> [HeaderFields.Field] {
        block.utf8.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }).compactMap { line in
            let colon = line.dropFirst().firstIndex(of: 0x3a)
            guard let colon else { return nil }
            let value = line[line.index(after: colon)...].drop(while: \.isBlank)
            return HeaderFields.Field(
                name: String(decoding: line[..<colon], as: UTF8.self),
                value: String(decoding: value, as: UTF8.self)
            )
        }
    }
}
