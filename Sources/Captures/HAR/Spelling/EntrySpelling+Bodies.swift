import JSON

/// Bodies that stand in another place than HAR has for them, or that their producer has parsed.
///
/// Loggers in scripts write what their library gives them: the parsed form or JSON, under the name `body`.
extension EntrySpelling {
    /// Puts the body of a message where HAR has it: `name` is `postData` or `content`.
    static func placeBody(_ name: String, in message: inout EntryDraft) {
        switch message.object[name] {
        case nil, .null?:
            takeBody(of: &message, into: name, JSONObject())
        case .object(let data)? where !isHARs(data):
            guard isParsed(type(of: message, data)) else { return }
            message.set(name, told(.object(data), in: JSONObject(), of: message))
        case .object(let data)?:
            // Beside parameters, which HAR has a place for, it would tell the same.
            let hasParameters = data["params"]?.array?.isEmpty == false
            if let text = data["text"], text.object != nil || text.array != nil, !hasParameters {
                message.set(name, told(text, in: data, of: message))
            } else if data["text"]?.string ?? "" == "", let parameters = data["params"],
                parameters.object != nil || parameters.string != nil
            {
                message.set(name, told(parameters, in: data, of: message))
            } else if data["text"] == nil, data["params"] == nil, data["_file"] == nil {
                takeBody(of: &message, into: name, data)
            }
        case .array(let list)? where !list.isEmpty:
            message.set(name, told(.array(list), in: JSONObject(), of: message))
        default: break
        }
    }

    /// The form that axios-har-tracker writes as JSON, whose name for a request's body besides is `content`, as in an answer.
    ///
    /// Of a `URLSearchParams` it has `{}`: then nothing is known of the body.
    static func placeForm(ofAxios request: inout EntryDraft) {
        guard request.object["content"]?.object != nil, case .object(let data)? = request.object["postData"],
            let text = data["text"]?.string, text.utf8.first == UInt8(ascii: "{"),
            essence(type(of: request, data)) == FormBody.mediaType,
            let form = (try? JSONParser.parse(Array(text.utf8)))?.object, Producers.areFields(form)
        else { return }
        request.set("postData", told(.object(form), in: data, of: request))
    }

    /// `postData` or `content` of a text that a logger has given to `JSON.stringify` (axios-har-tracker); nil where there is
    /// none, nearly always.
    ///
    /// Forms and pages never stand in quotes, unless they are as long as was sent.
    static func unquoted(_ data: JSONObject, headers: JSONValue?) -> JSONObject? {
        guard let text = data["text"]?.string, text.utf8.first == 0x22, text.utf8.last == 0x22 else {
            return nil
        }
        let fields = HAREntry.headers(headers)
        guard [FormBody.mediaType, "text/html"].contains(essence(type(of: data, fields))),
            fields.first("content-length") != String(text.utf8.count),
            let plain = (try? JSONParser.parse(Array(text.utf8)))?.string
        else { return nil }
        var unquoted = data
        unquoted["text"] = .string(plain)
        return unquoted
    }

    /// `postData` or `content` of a form or of JSON as Python prints the dictionary that it was made into (`{'a': True}`); nil
    /// where there is none, nearly always.
    ///
    /// Programs in Python send such a text by mistake, too: that is as long as was sent.
    static func unprinted(_ data: JSONObject, headers: JSONValue?) -> JSONObject? {
        guard let text = data["text"]?.string, ["{'", "[{'", "['"].contains(where: text.hasPrefix) else {
            return nil
        }
        let fields = HAREntry.headers(headers)
        let type = type(of: data, fields)
        guard isParsed(type), let length = toldLength(of: data, fields), length != text.utf8.count,
            let value = lenientValue(text)
        else { return nil }
        var unprinted = data
        if essence(type) != FormBody.mediaType {
            unprinted["text"] = .string(JSONWriter.text(of: value))
            return unprinted
        }
        guard let form = value.object, Producers.areFields(form) else { return nil }
        unprinted["text"] = nil
        unprinted["params"] = pairs(value)
        return unprinted
    }

    /// The one value that a text is, in a spelling that is nearly JSON's.
    static func lenientValue(_ text: String) -> JSONValue? {
        var reader = LenientReader(CaptureSource(bytes: Array(text.utf8)))
        guard let value = try? reader.value() else { return nil }
        reader.skipSpace()
        return reader.peek() == nil ? value : nil
    }

    /// The body under the name that libraries have for it, in its message or where its text ought to be.
    private static func takeBody(of message: inout EntryDraft, into name: String, _ data: JSONObject) {
        if let body = body(in: message.object) {
            message.set(name, told(body, in: data, of: message))
            message.set("body", nil)
        } else if let body = body(in: data) {
            var data = data
            data["body"] = nil
            message.set(name, told(body, in: data, of: message))
        }
    }

    /// Nil where there is none, or nothing in it.
    private static func body(in object: JSONObject) -> JSONValue? {
        switch object["body"] {
        case .string(let text)? where !text.isEmpty: .string(text)
        case .object(let object)?: .object(object)
        case .array(let list)?: .array(list)
        default: nil
        }
    }

    /// The object that has the body as HAR wants it: the parameters of a form, else its text.
    private static func told(_ body: JSONValue, in data: JSONObject, of message: EntryDraft) -> JSONValue {
        var told = data
        (told["text"], told["params"]) = (nil, nil)
        let type = type(of: message, data)
        if told["mimeType"] == nil, let type { told["mimeType"] = .string(type) }
        if let bytes = listedBytes(body, in: data, headers: message.object["headers"]) {
            (told["text"], told["encoding"]) = (.string(Base64.encode(bytes)), "base64")
            return .object(told)
        }
        switch body {
        case .string: told["text"] = body
        case .object(let form) where essence(type) == FormBody.mediaType && Producers.areFields(form):
            told["params"] = pairs(body)
        case .array(let list)
        where essence(type) == FormBody.mediaType && Producers.fields(body).count == list.count:
            told["params"] = pairs(body)
        default: told["text"] = .string(JSONWriter.text(of: body))
        }
        return .object(told)
    }

    /// Header fields, parameters or the like as HAR has them.
    static func pairs(_ value: JSONValue) -> JSONValue { pairs(Producers.fields(value)) }

    static func pairs(_ fields: some Sequence<HeaderFields.Field>) -> JSONValue {
        .array(fields.map { ["name": .string($0.name), "value": .string($0.value)] })
    }

    // MARK: - What it is

    /// Whether an object is one of HAR's, or has nothing but its producer's own members.
    private static func isHARs(_ data: JSONObject) -> Bool {
        data.members.allSatisfy { $0.name.utf8.first == 0x5f }
            || data.members.contains { entryBodyMembers.contains($0.name) }
    }

    private static let entryBodyMembers = HAREntry.bodyMembers.union(["compression", "comment"])

    private static func type(of message: EntryDraft, _ data: JSONObject) -> String? {
        type(of: data, HAREntry.headers(message.object["headers"]))
    }

    static func type(of data: JSONObject, _ headers: HeaderFields) -> String? {
        Producers.mediaType(
            told: Producers.text(data["mimeType"]),
            sent: headers.first("content-type")
        )
    }

    static func essence(_ type: String?) -> String? { type.map(Body.essence(of:)) }

    /// Whether programs parse bodies of this type into objects.
    static func isParsed(_ type: String?) -> Bool {
        guard let essence = essence(type) else { return false }
        return essence == FormBody.mediaType || essence.hasSuffix("json")
    }
}
