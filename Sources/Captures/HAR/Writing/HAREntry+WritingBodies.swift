import JSON

/// How a body is written: `postData` of a request, `content` of an answer.
extension HAREntry {
    static func append(
        _ body: Body,
        isRequest: Bool,
        to out: inout [UInt8],
        _ spooled: inout [SpooledText]
    ) {
        var writer = HARObjectWriter(&out)
        let file: SpooledBytes? = if case .spooled(let file) = body.content { file } else { nil }
        let bytes = file == nil ? body.bytes : nil
        if !isRequest { writer.integer("size", body.size ?? file?.count ?? bytes?.count ?? -1, &out) }
        writer.string("mimeType", body.writtenMediaType ?? body.mediaType ?? "", &out)
        appendParameters(of: body, isRequest: isRequest, &writer, &out)
        if let file {
            append(file, isCoded: body.remainingCoding != nil, &writer, &out, &spooled)
        } else if let bytes, isRequest || !bytes.isEmpty {
            append(bytes, isCoded: body.remainingCoding != nil, &writer, &out)
        }
        if body.isTruncated || body.remainingCoding != nil {
            var ours = JSONObject()
            if body.isTruncated { ours["truncated"] = true }
            if let coding = body.remainingCoding { ours["contentCoding"] = .string(coding) }
            writer.value("_authreel", .object(ours), &out)
        }
        foreign(body.foreign, besides: bodyMembers, &writer, &out)
        writer.end(&out)
    }

    /// As its producer has written them, or those that are all there is of the body; and a size in `postData`, for which HAR has
    /// no member.
    private static func appendParameters(
        of body: Body,
        isRequest: Bool,
        _ writer: inout HARObjectWriter,
        _ out: inout [UInt8]
    ) {
        if let kept = body.foreign.isEmpty ? nil : body.foreign["params"] {
            writer.value("params", kept, &out)
        } else if case .parameters(let fields) = body.content {
            writer.name("params", &out)
            pairs(fields, &out)
        }
        if isRequest, !body.foreign.isEmpty, let kept = body.foreign["size"] {
            writer.value("size", kept, &out)
        }
    }

    // MARK: - The text

    /// What the coding left alone is told as text only where it is text.
    private static func append(
        _ bytes: [UInt8],
        isCoded: Bool,
        _ writer: inout HARObjectWriter,
        _ out: inout [UInt8]
    ) {
        writer.name("text", &out)
        out.append(0x22)
        let isText = !isCoded && bytes.withUnsafeBufferPointer(TextCheck.isText)
        if isText {
            bytes.withUnsafeBufferPointer { JSONWriter.append(escaping: $0, to: &out) }
        } else {
            Base64.append(bytes, to: &out)
        }
        out.append(0x22)
        if !isText { writer.string("encoding", "base64", &out) }
    }

    /// The same of a body in a file, whose bytes come in later.
    private static func append(
        _ file: SpooledBytes,
        isCoded: Bool,
        _ writer: inout HARObjectWriter,
        _ out: inout [UInt8],
        _ spooled: inout [SpooledText]
    ) {
        let isText = !isCoded && SpooledText.isText(file)
        writer.name("text", &out)
        out.append(0x22)
        spooled.append(SpooledText(bytes: file, isText: isText, place: out.count))
        out.append(0x22)
        if !isText { writer.string("encoding", "base64", &out) }
    }
}
