import Captures
package import JSON

/// Where a text stands in the messages of a capture, as decoded: what `viewer/js/search.js` does where there is no server.
package enum ViewerSearch {
    /// So many places are enough to see that one has to ask more closely.
    package static let most = 200
    /// Of one message.
    private static let mostInMessage = 4
    private static let contextScalars = 40

    /// `{"hits": [{"capture", "exchange", "where", "name", "before", "match", "after", "secret", "open"}], "more": bool}`, in
    /// the order of the captures and their exchanges; `open`: nothing around it is a secret, though it has no name.
    ///
    /// `isOver`: asked between two messages; a search that nobody waits for any more ends.
    package static func hits(
        of query: String,
        in captures: [ViewerCapture],
        isOver: () -> Bool = { false }
    ) -> JSONValue {
        let wanted = CaselessPattern(query)
        var hits: [JSONValue] = []
        var hasMore = false
        search: for (number, capture) in captures.enumerated() where !query.isEmpty {
            for index in capture.report.capture.indices {
                if isOver() { break search }
                guard let message = capture.message(index) else { continue }
                let found = self.hits(of: wanted, in: message)
                if hits.count + found.count > most {
                    hasMore = true
                    break search
                }
                hits += found.map { hit in
                    var hit = hit
                    hit["capture"] = JSONValue(number)
                    hit["exchange"] = JSONValue(index)
                    return .object(hit)
                }
            }
        }
        return ["hits": .array(hits), "more": .bool(hasMore)]
    }

    private static func hits(of wanted: CaselessPattern, in message: JSONValue) -> [JSONObject] {
        var hits: [JSONObject] = []
        for text in texts(of: message) {
            guard hits.count < mostInMessage else { break }
            // What a value's own place tells need not be told by the header or body around it.
            if text.isWhole, !hits.isEmpty { continue }
            guard let hit = hit(wanted, text) else { continue }
            hits.append(hit)
        }
        return hits
    }

    private struct Text {
        var place: String
        var name: String
        var text: String
        var isSecret = false
        /// All of a message's headers or of its body.
        var isWhole = false
        /// Nothing in such a text is a secret.
        var isOpen = false
    }

    private static func texts(of message: JSONValue) -> [Text] {
        var texts: [Text] = []
        for value in message["values"]?.array ?? [] {
            guard let place = value["where"]?.string, let name = value["name"]?.string else { continue }
            let isSecret = value["secret"] == true
            texts.append(Text(place: place, name: name, text: name))
            texts.append(
                Text(place: place, name: name, text: value["value"]?.string ?? "", isSecret: isSecret)
            )
        }
        for token in message["tokens"]?.array ?? [] {
            let secret = Set((token["secret"]?.array ?? []).compactMap(\.string))
            for part in ["header", "claims"] {
                for member in token[part]?.array ?? [] {
                    let (own, value) = (member["name"]?.string ?? "", member["text"]?.string ?? "")
                    let name = "\(token["name"]?.string ?? "") \(own)"
                    texts.append(Text(place: "token", name: name, text: own))
                    texts.append(
                        Text(place: "token", name: name, text: value, isSecret: secret.contains(own))
                    )
                }
            }
        }
        let address = message["address"]?.string ?? ""
        texts.append(Text(place: "url", name: "", text: address, isWhole: true, isOpen: true))
        texts.append(Text(place: "url", name: "", text: message["url"]?.string ?? "", isWhole: true))
        texts += ["request", "response"].flatMap { wholes(of: message[$0], $0) }
        for (number, said) in (message["socket"]?["messages"]?.array ?? []).enumerated() {
            let text = said["text"]?.string ?? ""
            let isOpen = said["open"] == true
            texts.append(
                Text(place: "websocket", name: "\(number + 1)", text: text, isWhole: true, isOpen: isOpen)
            )
        }
        return texts
    }

    /// The headers of one side, each a line, and its body.
    private static func wholes(of message: JSONValue?, _ side: String) -> [Text] {
        var texts: [Text] = []
        for header in message?["headers"]?.array ?? [] {
            let name = header["name"]?.string ?? ""
            let line = "\(name): \(header["value"]?.string ?? "")"
            let isOpen = header["open"] == true
            texts.append(Text(place: side, name: name, text: line, isWhole: true, isOpen: isOpen))
        }
        let body = message?["body"]
        texts.append(
            Text(
                place: "\(side).body",
                name: "",
                text: body?["text"]?.string ?? "",
                isWhole: true,
                isOpen: body?["open"] == true
            )
        )
        return texts
    }

    private static func hit(_ wanted: CaselessPattern, _ text: Text) -> JSONObject? {
        let scalars = text.text.unicodeScalars
        guard let range = wanted.firstRange(in: scalars) else { return nil }
        let (before, after) = (scalars[..<range.lowerBound], scalars[range.upperBound...])
        let (head, tail) = (before.suffix(contextScalars), after.prefix(contextScalars))
        var hit: JSONObject = ["where": .string(text.place), "name": .string(text.name)]
        hit["before"] = .string((head.startIndex > before.startIndex ? "…" : "") + String(head))
        hit["match"] = .string(String(scalars[range]))
        hit["after"] = .string(String(tail) + (tail.endIndex < after.endIndex ? "…" : ""))
        if text.isSecret { hit["secret"] = true }
        if text.isOpen { hit["open"] = true }
        return hit
    }
}
