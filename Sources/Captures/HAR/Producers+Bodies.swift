import JSON

/// Where the bodies are.
extension Producers {
    static func requestBody(_ request: JSONObject, deferral: HAREntry.Deferral) -> Body? {
        let wireSize = HAREntry.size(request["bodySize"])
        guard let data = request["postData"]?.object else {
            return otherRequestBody(request, wireSize: wireSize, deferral: deferral)
        }
        var foreign = HAREntry.remaining(data, without: HAREntry.bodyMembers)
        if let size = data["size"] { foreign.members.append(JSONObject.Member(name: "size", value: size)) }
        foreign["_encoding"] = nil
        let parameters = data["params"]?.array ?? []
        let text = bodyText(data)
        guard text == nil, !parameters.isEmpty else {
            // Beside the text they are what the producer made of it; of a file part they tell more.
            if !parameters.isEmpty { foreign["params"] = data["params"] }
            return HAREntry.body(
                data,
                text: text ?? bodyInComment(data),
                wireSize: wireSize,
                foreign: foreign,
                deferral: deferral,
                place: BodyText(path: ["request", "postData", "text"], isBase64: isBase64(data)) { entry in
                    let data = entry["request"]?["postData"]?.object ?? JSONObject()
                    return bodyText(data) ?? bodyInComment(data)
                }
            )
        }
        if let whole = wholeBody(in: parameters, of: data) {
            return HAREntry.body(
                data,
                text: whole,
                wireSize: wireSize,
                foreign: foreign,
                deferral: deferral,
                place: BodyText(path: []) { entry in
                    let data = entry["request"]?["postData"]?.object ?? JSONObject()
                    return wholeBody(in: data["params"]?.array ?? [], of: data)
                }
            )
        }
        // Parts of a multipart form have their files' names and types beside the value.
        if parameters.contains(where: { ($0.object?.members.count ?? 0) > 2 }) {
            foreign["params"] = data["params"]
        }
        return Body(
            content: .parameters(fields(.array(parameters))),
            mediaType: self.text(data["mimeType"]),
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
    private static func wholeBody(in parameters: [JSONValue], of data: JSONObject) -> String? {
        guard parameters.count == 1, let name = parameters[0]["name"]?.string,
            let first = name.utf8.first(where: { $0 > 0x20 }), first == 0x7b || first == 0x5b,
            !(text(data["mimeType"]) ?? "").lowercased().hasPrefix("multipart/")
        else { return nil }
        let value = text(parameters[0]["value"]) ?? ""
        return value.isEmpty ? name : "\(name)=\(value)"
    }

    /// Without `postData`, or with one that is no object.
    private static func otherRequestBody(_ request: JSONObject, wireSize: Int?, deferral: HAREntry.Deferral)
        -> Body?
    {
        let type = HAREntry.headers(request["headers"]).first("content-type")
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

    static func responseBody(_ response: JSONObject, deferral: HAREntry.Deferral) -> Body? {
        let wireSize = HAREntry.size(response["bodySize"])
        guard let content = response["content"]?.object else {
            guard let text = response["content"]?.string else {
                // Nothing is said of it: there may have been one.
                return response.isEmpty || wireSize == 0 ? nil : Body(content: .missing, wireSize: wireSize)
            }
            let type = HAREntry.headers(response["headers"]).first("content-type")
            return HAREntry.body(
                type.map { ["mimeType": .string($0)] } ?? JSONObject(),
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
        // Some say nothing where the header does.
        if body.mediaType ?? "" == "", let type = HAREntry.headers(response["headers"]).first("content-type")
        {
            body.mediaType = type
            body.isTypeOfHeader = true
        }
        if isBase64(content) { body = decoded(body, of: response) }
        if isCut(body) { body.isTruncated = true }
        return body
    }

    /// Some loggers keep the bytes as they came over the wire, `Content-Encoding` not undone; others leave the field though
    /// they undid it, so the bytes have to begin as the coding says, or, where one has no such beginning, to be no text.
    private static func decoded(_ body: Body, of response: JSONObject) -> Body {
        let headers = HAREntry.headers(response["headers"])
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
