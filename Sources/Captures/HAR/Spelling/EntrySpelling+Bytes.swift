import JSON

/// Bodies whose bytes are told in another way than as text or as Base64 under `encoding`.
extension EntrySpelling {
    /// `postData` or `content` with its bytes as HAR has them; nil where they are, nearly always.
    ///
    /// - Polly.JS: hexadecimal digits under `_isBinary` or `encoding`, and each chunk of a coded body in a list of its own,
    ///   which is the text.
    /// - Readers of files in browsers: a `data:` URL. Scripts in Python: `b'…'`, which is how it prints bytes, of Base64 or of the
    ///   body itself.
    /// - Producers that do not say that it is Base64, but how long the bytes are, or of which type: what languages write of bytes
    ///   that nobody has made a text (Go, Java, .NET).
    /// - Loggers that take coded bytes for text: one character for each byte, or nothing that can be read again.
    static func bytesPlaced(_ data: JSONObject, headers: JSONValue?) -> JSONObject? {
        guard case .string(let text)? = data["text"], let first = text.utf8.first else { return nil }
        let encoding = (data["encoding"] ?? data["_encoding"])?.string?.lowercased()
        switch encoding {
        case nil where data["_isBinary"] == true, "hex"?:
            return chunks(of: text) { Hexadecimal.decode($0) }.map { placed(Base64.encode($0), in: data) }
        case "base64"?:
            switch first {
            case UInt8(ascii: "["):
                return chunks(of: text) { Base64.decode(String(decoding: $0, as: UTF8.self)) }
                    .map { placed(Base64.encode($0), in: data) }
            case UInt8(ascii: "d"): return dataURL(text).map { placed($0.base64, in: data) }
            case UInt8(ascii: "b") where text.hasPrefix("b'") && text.hasSuffix("'"):
                return placed(String(text.dropFirst(2).dropLast()), in: data)
            default: return nil
            }
        case nil:
            if first == UInt8(ascii: "d"), let url = dataURL(text),
                url.type == Body(content: .missing, mediaType: data["mimeType"]?.string).essence,
                // A page may really be such an address.
                data["size"]?.int.map(Int.init(_:)) != text.utf8.count, url.type != "text/plain"
            {
                return placed(url.base64, in: data)
            }
            if let bytes = printedBuffer(text, in: data, headers: headers) {
                return placed(Base64.encode(bytes), in: data)
            }
            if isBase64(text, of: data) || isCoded(text, of: data, headers) { return placed(text, in: data) }
            if first == UInt8(ascii: "b"), let bytes = PythonBytes.decode(text),
                isLength(bytes.count, of: data, headers)
            {
                return placed(Base64.encode(bytes), in: data)
            }
            return first == 0x1f && isGzip(text) ? coded(text, in: data, headers) : nil
        default: return nil
        }
    }

    private static func placed(_ base64: String, in data: JSONObject) -> JSONObject {
        var placed = data
        placed["text"] = .string(base64)
        placed["encoding"] = "base64"
        (placed["_encoding"], placed["_isBinary"]) = (nil, nil)
        return placed
    }

    /// The bytes of a text, or of the texts in the list that it is.
    private static func chunks(of text: String, _ decode: (String.UTF8View) -> [UInt8]?) -> [UInt8]? {
        guard text.utf8.first == UInt8(ascii: "[") else { return decode(text.utf8) }
        guard let list = (try? JSONParser.parse(Array(text.utf8)))?.array else { return nil }
        var bytes: [UInt8] = []
        for element in list {
            guard let chunk = element.string, let decoded = decode(chunk.utf8) else { return nil }
            bytes += decoded
        }
        return bytes
    }

    /// Whether a text is the Base64 of just as many bytes as `size` says: of a server's own it would be its length.
    private static func isBase64(_ text: String, of data: JSONObject) -> Bool {
        let count = text.utf8.count
        // Shorter ones may be words.
        guard count >= 16, count % 4 == 0, let size = HAREntry.size(data["size"]) else { return false }
        let filling = text.utf8.suffix(2).count { $0 == UInt8(ascii: "=") }
        return size == count / 4 * 3 - filling
            && Base64.decodeStrictly(Array(text.utf8)[...], isPadded: true) != nil
    }

    /// Whether a text is the Base64 of what its type says, which it is not itself: JSON, a form, or a page.
    ///
    /// One that is said to be of another length was sent so.
    private static func isCoded(_ text: String, of data: JSONObject, _ headers: JSONValue?) -> Bool {
        // Nearly every other text is told by its beginning.
        let isLikely = text.utf8.prefix(14).allSatisfy {
            $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
        }
        guard isLikely, text.utf8.count >= 16, text.utf8.count % 4 == 0 else { return false }
        let fields = HAREntry.headers(headers)
        let type = type(of: data, fields)
        guard isParsed(type) || isMarkup(type),
            let bytes = Base64.decodeStrictly(Array(text.utf8)[...], isPadded: true)
        else { return false }
        // The length of coded bytes is that before their coding was undone.
        let isUnknown = !ContentCoding.codings(of: fields).isEmpty && HAREntry.size(data["size"]) == nil
        guard isUnknown || toldLength(of: data, fields) ?? bytes.count == bytes.count else { return false }
        if isMarkup(type) {
            return bytes.first { $0 > 0x20 } == UInt8(ascii: "<")
                && bytes.last { $0 > 0x20 } == UInt8(ascii: ">")
        }
        if let first = bytes.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            return (try? JSONParser.parse(bytes)) != nil
        }
        // A parameter's name, and values without blanks (RFC 6749, appendix B).
        let name = bytes.prefix(while: \.isTokenCharacter)
        return !name.isEmpty && bytes.dropFirst(name.count).first == UInt8(ascii: "=")
            && bytes.allSatisfy { (0x21...0x7e).contains($0) }
    }

    private static func isMarkup(_ type: String?) -> Bool {
        guard let essence = essence(type) else { return false }
        return essence == "text/html" || essence.hasSuffix("xml")
    }

    /// Whether a body is said to have so many bytes: servers written in Python send `b'…'` themselves by mistake, which is longer.
    private static func isLength(_ count: Int, of data: JSONObject, _ headers: JSONValue?) -> Bool {
        toldLength(of: data, HAREntry.headers(headers)) == count
    }

    /// How many bytes a body is said to have, be it coded; nil where that is not told.
    static func toldLength(of data: JSONObject, _ headers: HeaderFields) -> Int? {
        HAREntry.size(data["size"]) ?? headers.first("content-length").flatMap { Int($0) }
    }

    /// RFC 2397.
    private static func dataURL(_ text: String) -> (type: String, base64: String)? {
        guard text.hasPrefix("data:"), let comma = text.utf8.prefix(200).firstIndex(of: 0x2c),
            text[..<comma].hasSuffix(";base64")
        else { return nil }
        let type = text[..<comma].dropFirst(5).prefix { $0 != ";" }
        return (type.lowercased(), String(text[comma...].dropFirst()))
    }

    // MARK: - Header fields in front of a body

    /// `postData` without the header fields that Firefox has in front of a form, as its page hands both to the network;
    /// nil where there are none.
    static func formPlaced(_ data: JSONObject, headers: JSONValue?) -> JSONObject? {
        guard case .string(let text)? = data["text"], text.utf8.first.map({ $0 | 0x20 }) == UInt8(ascii: "c"),
            let end = text.prefix(512).firstRange(of: "\r\n\r\n")
        else { return nil }
        let body = text[end.upperBound...]
        var type: String?
        var length: Int?
        for line in text[..<end.lowerBound].split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            switch line[..<colon].lowercased() {
            case "content-type": type = String(value)
            case "content-length": length = Int(value)
            default: return nil
            }
        }
        let told = HAREntry.headers(headers).first("content-type") ?? Producers.text(data["mimeType"])
        guard let type, length == body.utf8.count || essence(type) == essence(told) else { return nil }
        var placed = data
        placed["text"] = .string(String(body))
        if Producers.text(data["mimeType"]) ?? "" == "" { placed["mimeType"] = .string(type) }
        return placed
    }

    // MARK: - Coded bytes that were taken for text

    /// A body that is still coded, as its beginning shows, is none that can be judged where its bytes are lost.
    private static func coded(_ text: String, in data: JSONObject, _ headers: JSONValue?) -> JSONObject? {
        guard !ContentCoding.codings(of: HAREntry.headers(headers)).isEmpty else { return nil }
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            if scalar == "\u{fffd}" {
                var lost = data
                lost["text"] = nil
                lost["_text"] = .string(text)
                return lost
            }
            guard let byte = UInt8(exactly: scalar.value) else { return nil }
            bytes.append(byte)
        }
        return placed(Base64.encode(bytes), in: data)
    }

    /// Whether a text begins as gzip does (RFC 1952, section 2.3.1): a decoded body may begin with a control character, too.
    private static func isGzip(_ text: String) -> Bool {
        let beginning = text.unicodeScalars.prefix(2)
        return beginning.elementsEqual(["\u{1f}", "\u{8b}"])
            || beginning.elementsEqual(["\u{1f}", "\u{fffd}"])
    }
}
