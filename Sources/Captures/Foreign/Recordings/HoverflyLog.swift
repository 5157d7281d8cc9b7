import JSON

/// Reads what Hoverfly has recorded of services, or played them: a simulation (`hoverfly export`, `/api/v2/simulation`), and its
/// journal (`/api/v2/journal`), which alone has times.
///
/// Of a simulation only those requests are exchanges that it has word by word: others are patterns, which nobody has asked for.
enum HoverflyLog {
    /// Nil where there is no exchange in it.
    static func read(_ source: CaptureSource, _ sketch: JSONSketch) -> Capture? {
        let isJournal = sketch.names.contains("journal")
        return HAREntry.capture(
            of: source,
            list: isJournal ? "journal" : "pairs",
            in: isJournal ? nil : "data",
            creator: "Hoverfly",
            makeEntry: entry
        )
    }

    @Sendable private static func entry(of pair: JSONValue) -> JSONObject? {
        guard let request = pair["request"]?.object, let response = pair["response"]?.object,
            let method = word(request["method"]), let destination = word(request["destination"]),
            !destination.isEmpty,
            let path = word(request["path"]), path.hasPrefix("/"), let query = query(request["query"])
        else { return nil }
        let url =
            "\(word(request["scheme"]) ?? "http")://\(destination)\(path)"
            + (query.isEmpty ? "" : "?\(query)")
        let sent = fields(request["headers"])
        var asked: JSONObject = ["method": .string(method), "url": .string(url), "headers": sent]
        if let text = body(request["body"]), !text.isEmpty {
            asked["postData"] = HAREntry.told(body: text, sent).map(JSONValue.object)
        }
        let received = response["headers"] ?? []
        var entry: JSONObject = [
            "request": .object(asked),
            "response": [
                "status": response["status"] ?? 200, "headers": received,
                "content": .object(
                    HAREntry.told(
                        body: response["body"]?.string ?? "",
                        isBase64: response["encodedBody"] == true,
                        received
                    ) ?? JSONObject()
                ),
            ],
        ]
        entry["startedDateTime"] = pair["timeStarted"]
        entry["time"] = pair["latency"]
        return entry
    }

    // MARK: - Matchers

    /// A word as the journal has it, or as a simulation does that compares it: `[{"matcher":"exact","value":"/token"}]`, before its
    /// version 5 `{"exactMatch":"/token"}`; nil for patterns.
    private static func word(_ value: JSONValue?) -> String? {
        if let list = value?.array {
            guard list.count == 1, list[0]["matcher"] == nil || list[0]["matcher"] == "exact" else {
                return nil
            }
            return list[0]["value"]?.string ?? list[0].string
        }
        return value?.string ?? value?["exactMatch"]?.string
    }

    /// Without its question mark; nil for patterns.
    private static func query(_ value: JSONValue?) -> String? {
        guard let object = value?.object, object["exactMatch"] == nil else {
            return value == nil ? "" : word(value)
        }
        var items: [String] = []
        for member in object.members {
            for element in member.value.array ?? [member.value] {
                guard let text = word([element]) else { return nil }
                items.append("\(PercentEncoding.encode(member.name))=\(PercentEncoding.encode(text))")
            }
        }
        return items.joined(separator: "&")
    }

    /// Of a field that is compared with a pattern the pattern says most of it.
    private static func fields(_ value: JSONValue?) -> JSONValue {
        guard let members = value?.object?.members else { return [] }
        return EntrySpelling.pairs(
            members.flatMap { member in
                (member.value.array ?? [member.value]).compactMap { element in
                    let text = element.string ?? element["value"]?.string
                    return text.map { HeaderFields.Field(name: member.name, value: $0) }
                }
            }
        )
    }

    /// As text, as JSON, or as a form whose values are matchers themselves; nil where it is a pattern.
    private static func body(_ value: JSONValue?) -> String? {
        guard let matcher = value?.array?.first?["matcher"]?.string, value?.array?.count == 1,
            let told = value?.array?.first?["value"]
        else { return word(value) }
        switch matcher {
        case "exact", "json": return told.string
        case "form":
            var items: [(String, String)] = []
            for member in told.object?.members ?? [] {
                for element in member.value.array ?? [] {
                    guard let text = word([element]) else { return nil }
                    items.append((member.name, text))
                }
            }
            return FormBody.encode(items)
        default: return nil
        }
    }
}
