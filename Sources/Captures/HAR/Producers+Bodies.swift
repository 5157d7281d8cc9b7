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
        let text = text(data["text"])
        guard text == nil, !parameters.isEmpty else {
            // Beside the text they are what the producer made of it; of a file part they tell more.
            if !parameters.isEmpty { foreign["params"] = data["params"] }
            return HAREntry.body(
                data,
                text: text ?? bodyInComment(data),
                isBase64: isBase64(data),
                wireSize: wireSize,
                foreign: foreign,
                deferral: deferral
            ) { entry in
                let data = entry["request"]?["postData"]?.object ?? JSONObject()
                return self.text(data["text"]) ?? bodyInComment(data)
            }
        }
        if let whole = wholeBody(in: parameters, of: data) {
            return HAREntry.body(
                data,
                text: whole,
                isBase64: false,
                wireSize: wireSize,
                foreign: foreign,
                deferral: deferral
            ) { entry in
                let data = entry["request"]?["postData"]?.object ?? JSONObject()
                return wholeBody(in: data["params"]?.array ?? [], of: data)
            }
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
                isBase64: false,
                wireSize: wireSize,
                foreign: JSONObject(),
                deferral: deferral
            ) { $0["request"]?["postData"]?.string }
        }
        // HTTP Toolkit: a body that is no UTF-8 is not in `postData`, which has no way to say so.
        guard var data = request["_content"]?.object else { return nil }
        if data["mimeType"] == nil, let type { data["mimeType"] = .string(type) }
        return HAREntry.body(
            data,
            text: text(data["text"]),
            isBase64: isBase64(data),
            wireSize: wireSize,
            foreign: HAREntry.remaining(data, without: HAREntry.bodyMembers),
            deferral: deferral
        ) { self.text($0["request"]?["_content"]?["text"]) }
    }

    static func responseBody(_ response: JSONObject, deferral: HAREntry.Deferral) -> Body? {
        let wireSize = HAREntry.size(response["bodySize"])
        guard let content = response["content"]?.object else {
            guard let text = response["content"]?.string else { return nil }
            let type = HAREntry.headers(response["headers"]).first("content-type")
            return HAREntry.body(
                type.map { ["mimeType": .string($0)] } ?? JSONObject(),
                text: text,
                isBase64: false,
                wireSize: wireSize,
                foreign: JSONObject(),
                deferral: deferral
            ) { $0["response"]?["content"]?.string }
        }
        var foreign = HAREntry.remaining(content, without: HAREntry.bodyMembers)
        foreign["_encoding"] = nil
        var body = HAREntry.body(
            content,
            text: text(content["text"]) ?? bodyInComment(content),
            isBase64: isBase64(content),
            wireSize: wireSize,
            foreign: foreign,
            deferral: deferral
        ) { entry in
            let content = entry["response"]?["content"]?.object ?? JSONObject()
            return text(content["text"]) ?? bodyInComment(content)
        }
        if !body.isRecorded, body.size == 0 { body.content = .bytes([]) }
        return body
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
