import JSON

/// Where the bodies are.
extension Producers {
    static func requestBody(_ request: JSONObject, _ headers: HeaderFields, deferral: HAREntry.Deferral)
        -> Body?
    {
        guard var body = body(of: request, headers, deferral: deferral) else { return nil }
        setType(of: &body, by: headers)
        return body
    }

    private static func body(of request: JSONObject, _ headers: HeaderFields, deferral: HAREntry.Deferral)
        -> Body?
    {
        let wireSize = HAREntry.size(request["bodySize"])
        guard let data = request["postData"]?.object else {
            return otherBody(of: request, headers, wireSize: wireSize, deferral: deferral)
        }
        let parameters = data["params"]?.array ?? []
        if bodyText(data) != nil || parameters.isEmpty {
            return writtenBody(data, wireSize: wireSize, deferral: deferral)
        }
        return namedBody(data, wireSize: wireSize, deferral: deferral) ?? form(parameters, in: data, wireSize)
    }

    /// What a producer has in `postData` besides the body.
    private static func others(in data: JSONObject) -> JSONObject {
        var foreign = HAREntry.remaining(data, without: HAREntry.bodyMembers)
        if let size = data["size"] { foreign.members.append(JSONObject.Member(name: "size", value: size)) }
        foreign["_encoding"] = nil
        return foreign
    }

    /// A body whose text is there, or that has neither text nor parameters.
    private static func writtenBody(_ data: JSONObject, wireSize: Int?, deferral: HAREntry.Deferral) -> Body {
        var foreign = others(in: data)
        // Beside the text they are what the producer made of it; of a file part they tell more.
        if data["params"]?.array?.isEmpty == false { foreign["params"] = data["params"] }
        return HAREntry.body(
            data,
            text: bodyText(data) ?? bodyInComment(data),
            wireSize: wireSize,
            foreign: foreign,
            deferral: deferral,
            place: BodyText(path: ["request", "postData", "text"], isBase64: isBase64(data)) { entry in
                let data = entry["request"]?["postData"]?.object ?? JSONObject()
                return bodyText(data) ?? bodyInComment(data)
            }
        )
    }

    /// A body that stands in the name of its one parameter; nil for others.
    private static func namedBody(_ data: JSONObject, wireSize: Int?, deferral: HAREntry.Deferral) -> Body? {
        guard let text = textInName(data) else { return nil }
        return HAREntry.body(
            data,
            text: text,
            wireSize: wireSize,
            foreign: others(in: data),
            deferral: deferral,
            place: BodyText(path: []) { textInName($0["request"]?["postData"]?.object ?? JSONObject()) }
        )
    }

    private static func form(_ parameters: [JSONValue], in data: JSONObject, _ wireSize: Int?) -> Body {
        var foreign = others(in: data)
        // Parts of a multipart form have their files' names and types beside the value.
        if parameters.contains(where: { ($0.object?.members.count ?? 0) > 2 }) {
            foreign["params"] = data["params"]
        }
        return Body(
            content: .parameters(fields(.array(parameters))),
            mediaType: text(data["mimeType"]),
            wireSize: wireSize,
            foreign: foreign
        )
    }

    /// The text of a body; none where it is empty beside something that tells of one (Playwright, Insomnia).
    private static func bodyText(_ data: JSONObject) -> String? {
        guard let text = text(data["text"]) else { return nil }
        let isTold = data["_file"] != nil || data["params"]?.array?.isEmpty == false
        return text.isEmpty && isTold ? nil : text
    }

    /// Charles takes a JSON body for a form of one parameter, named as the body up to its first `=`.
    private static func textInName(_ data: JSONObject) -> String? {
        guard let parameters = data["params"]?.array, parameters.count == 1,
            let name = parameters[0]["name"]?.string,
            let first = name.utf8.first(where: { $0 > 0x20 }), first == 0x7b || first == 0x5b,
            !(text(data["mimeType"]) ?? "").lowercased().hasPrefix("multipart/")
        else { return nil }
        let value = text(parameters[0]["value"]) ?? ""
        return value.isEmpty ? name : "\(name)=\(value)"
    }

    /// Without `postData`, or with one that is no object.
    private static func otherBody(
        of request: JSONObject,
        _ headers: HeaderFields,
        wireSize: Int?,
        deferral: HAREntry.Deferral
    ) -> Body? {
        let type = headers.first("content-type")
        if let text = request["postData"]?.string {
            // Loggers in scripts write the body in the place of the object.
            let data: JSONObject = type.map { ["mimeType": .string($0)] } ?? JSONObject()
            return HAREntry.body(
                data,
                text: text,
                wireSize: wireSize,
                foreign: JSONObject(),
                deferral: deferral,
                place: BodyText(path: ["request", "postData"]) { $0["request"]?["postData"]?.string }
            )
        }
        // HTTP Toolkit: a body that is no UTF-8 is not in `postData`, which has no way to say so.
        guard var data = request["_content"]?.object else { return nil }
        if data["mimeType"] == nil, let type { data["mimeType"] = .string(type) }
        return HAREntry.body(
            data,
            text: text(data["text"]),
            wireSize: wireSize,
            foreign: HAREntry.remaining(data, without: HAREntry.bodyMembers),
            deferral: deferral,
            place: BodyText(path: ["request", "_content", "text"], isBase64: isBase64(data)) {
                self.text($0["request"]?["_content"]?["text"])
            }
        )
    }

    static func responseBody(_ response: JSONObject, _ headers: HeaderFields, deferral: HAREntry.Deferral)
        -> Body?
    {
        let wireSize = HAREntry.size(response["bodySize"])
        guard let content = response["content"]?.object else {
            guard let text = response["content"]?.string else {
                // Nothing is said of it: there may have been one.
                return response.isEmpty || wireSize == 0 ? nil : Body(content: .missing, wireSize: wireSize)
            }
            return HAREntry.body(
                headers.first("content-type").map { ["mimeType": .string($0)] } ?? JSONObject(),
                text: text,
                wireSize: wireSize,
                foreign: JSONObject(),
                deferral: deferral,
                place: BodyText(path: ["response", "content"]) { $0["response"]?["content"]?.string }
            )
        }
        var foreign = HAREntry.remaining(content, without: HAREntry.bodyMembers)
        foreign["_encoding"] = nil
        var body = HAREntry.body(
            content,
            text: text(content["text"]) ?? bodyInComment(content),
            wireSize: wireSize,
            foreign: foreign,
            deferral: deferral,
            place: BodyText(path: ["response", "content", "text"], isBase64: isBase64(content)) { entry in
                let content = entry["response"]?["content"]?.object ?? JSONObject()
                return text(content["text"]) ?? bodyInComment(content)
            }
        )
        if !body.isRecorded, body.size == 0 { body.content = .bytes([]) }
        setType(of: &body, by: headers)
        if isBase64(content) { body = decoded(body, headers) }
        if isCut(body) { body.isTruncated = true }
        return body
    }

    /// Some loggers keep the bytes as they came over the wire, `Content-Encoding` not undone; others leave the field though
    /// they undid it, so the bytes have to begin as the coding says, or, where one has no such beginning, to be no text.
    private static func decoded(_ body: Body, _ headers: HeaderFields) -> Body {
        guard !ContentCoding.codings(of: headers).isEmpty else { return body }
        let decode: @Sendable ([UInt8]) -> [UInt8] = { bytes in
            ContentCoding.decodeUnlessDone(bytes, headers: headers).bytes
        }
        var body = body
        switch body.content {
        case .bytes(let bytes): body.content = .bytes(decode(bytes))
        case .deferred(let load): body.content = .deferred { load().map(decode) }
        case .spooled, .missing, .parameters: break
        }
        return body
    }

    /// Gives a body the type that its message's fields name.
    private static func setType(of body: inout Body, by headers: HeaderFields) {
        let told = body.mediaType
        body.mediaType = mediaType(told: told, sent: headers.first("content-type"))
        if body.mediaType != told { body.writtenMediaType = told ?? "" }
    }

    /// The type of a body: where `Content-Type` names one that is that, since it was sent.
    ///
    /// A `mimeType` of another says what its producer has made of it, or that it does not know: Burp's Logger++ has a word of
    /// Burp's (`JSON`), Flutter's DevTools the kind of file (`html`) and in requests the answer's type (`[text/html]`), loggers
    /// in scripts one and the same for all.
    static func mediaType(told: String?, sent: String?) -> String? {
        guard let told, !told.isEmpty else { return sent ?? told }
        // A sanitizer's word is no type, nor are two fields in one.
        guard let sent, sent != told, sent.utf8.contains(0x2f), !sent.utf8.contains(0x2c) else { return told }
        return Body.essence(of: sent) == Body.essence(of: told) ? told : sent
    }

    /// Whether JSON breaks off before the length that the producer tells: some keep the first bytes only, and do not say so.
    private static func isCut(_ body: Body) -> Bool {
        // A byte order mark may be counted.
        guard case .bytes(let bytes) = body.content, let size = body.size, size > bytes.count + 3,
            body.essence?.utf8.suffix(4).elementsEqual("json".utf8) == true,
            let first = bytes.first(where: { $0 > 0x20 }), let last = bytes.last(where: { $0 > 0x20 })
        else { return false }
        return first == 0x7b && last != 0x7d || first == 0x5b && last != 0x5d
    }

    /// k6 and others flag Base64 in `postData` as `content` does, or under `_encoding`, since HAR has no member for it
    /// there.
    private static func isBase64(_ data: JSONObject) -> Bool {
        (data["encoding"] ?? data["_encoding"])?.string?.lowercased() == "base64"
    }

    /// A comment is the body only where there is no text and it is as long as the body is said to be.
    static func bodyInComment(_ data: JSONObject) -> String? {
        guard data["text"] == nil, let size = HAREntry.size(data["size"]), size > 0,
            let comment = data["comment"]?.string, comment.utf8.count == size
        else { return nil }
        return comment
    }
}
