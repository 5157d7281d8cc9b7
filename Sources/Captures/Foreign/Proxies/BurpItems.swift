import JSON

/// Reads the items that Burp saves as XML (*Save items*), their messages in Base64 or as they are.
struct BurpItems {
    /// Where the text of an element lies, and what its tag says.
    private struct Element {
        var range: Range<Int>
        var attributes: [String: String]
    }

    private let source: CaptureSource
    private let name: String
    private var exchanges: [Exchange] = []
    private var losses = LossList()
    /// Of the last loss: lines are counted on from there.
    private var place = (offset: 0, line: 1)

    private init(_ source: CaptureSource, name: String) {
        self.source = source
        self.name = name
    }

    /// - Throws: ``CaptureError`` where there is not one item in it.
    static func read(_ source: CaptureSource, name: String) throws(CaptureError) -> Capture {
        var items = BurpItems(source, name: name)
        return try items.capture()
    }

    private mutating func capture() throws(CaptureError) -> Capture {
        var tags = XMLTags(source)
        var version = ""
        var item: [String: Element]?
        var open: XMLTags.Tag?
        while let tag = tags.next() {
            switch (tag.name, tag.isEnd) {
            case ("items", false): version = tag.attributes["burpVersion"] ?? ""
            case ("item", false): item = [:]
            case ("item", true):
                if let item { take(item, at: tag.range.upperBound) }
                item = nil
            case (_, false): open = tag.isEmpty ? nil : tag
            case (let name, true):
                if let begin = open, begin.name == name {
                    item?[name] = Element(
                        range: begin.range.upperBound..<tag.range.lowerBound,
                        attributes: begin.attributes
                    )
                }
                open = nil
            }
        }
        if item != nil {
            lose(
                Capture.Loss.cutOff("item", exchanges.count),
                source.size,
                isEnd: true
            )
        }
        guard !exchanges.isEmpty else {
            throw .notCapture(
                path: name,
                looksLike: "items of Burp's, of which none has a request",
                advice: "select the requests in Burp's HTTP history, and save the items once more"
            )
        }
        var capture = Capture(foreign: exchanges, creator: "Burp", version: version)
        capture.losses = losses.all
        return capture
    }

    /// `offset`: behind that of the loss before.
    private mutating func lose(_ what: String, _ offset: Int, isEnd: Bool = false) {
        place = (offset, source.line(of: offset, behind: place))
        losses.append(Capture.Loss(offset: offset, line: place.line, what: what, isEnd: isEnd))
    }

    // MARK: - Items

    private mutating func take(_ item: [String: Element], at offset: Int) {
        guard let load = message("request", of: item), let request = RawMessage(load()) else {
            return lose("an item has no request that is HTTP", offset)
        }
        let scheme = text("protocol", of: item)
        let host = text("host", of: item)
        let port = Int64(text("port", of: item))
        let isDefault = port == (scheme == "http" ? 80 : 443)
        let url = request.url(
            scheme: scheme.isEmpty ? "https" : scheme,
            authority: ForeignTime.address(host, port: isDefault ? nil : port)
        )
        let start = Producers.start(of: ["startedDateTime": .string(text("time", of: item))])
        var exchange = Exchange(
            startedAt: start?.time ?? Timestamp(nanoseconds: 0),
            request: request.request(to: url, reload: load),
            response: message("response", of: item).flatMap { load in
                RawMessage(load())?.response(reload: load)
            },
            connection: ConnectionFacts(
                serverAddress: item["host"]?.attributes["ip"].flatMap {
                    $0.isEmpty ? nil : ForeignTime.address($0, port: port)
                }
            )
        )
        exchange.isZoneKnown = start?.isZoneKnown ?? false
        exchange.keep(note: text("comment", of: item))
        exchanges.append(exchange)
    }

    private func text(_ name: String, of item: [String: Element]) -> String {
        guard let range = item[name]?.range, range.count < 64 << 10 else { return "" }
        return Producers.withoutBlanksAround(String(decoding: XMLTags.text(range, of: source), as: UTF8.self))
    }

    /// What gives the bytes of a message; nil where the item has none.
    private func message(_ name: String, of item: [String: Element]) -> (@Sendable () -> [UInt8])? {
        guard let element = item[name], !element.range.isEmpty else { return nil }
        let isBase64 = element.attributes["base64"] == "true"
        return { [source] in
            let text = XMLTags.text(element.range, of: source)
            return isBase64 ? Base64.decode(String(decoding: text, as: UTF8.self)) : text
        }
    }
}
