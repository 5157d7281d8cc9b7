import JSON

/// Reads the timeline that Reactotron exports (*Export Log*), which shows what an app in React Native does: of all that is in it the
/// calls.
///
/// JSON and forms that the app had as objects are written anew, and the time of a command is that of the answer.
enum ReactotronLog {
    /// Nil where there is no call in it.
    static func read(_ source: CaptureSource) -> Capture? {
        HAREntry.capture(
            of: source,
            list: nil,
            creator: "Reactotron",
            mostOthers: .max,
            makeEntry: entry
        )
    }

    /// Nil for every other command, and for a call whose URL names no server.
    @Sendable private static func entry(of command: JSONValue) -> JSONObject? {
        guard command["type"]?.string == "api.response", let payload = command["payload"],
            let call = plain(payload).object, let request = call["request"]?.object,
            let response = call["response"]?.object, let url = request["url"]?.string,
            url[...].containsScheme
        else { return nil }
        var asked: JSONObject = [
            "method": .string(Producers.method(request["method"])), "httpVersion": "",
            "url": .string(url + query(request["params"], of: url)), "headers": request["headers"] ?? [],
        ]
        asked["postData"] = body(request["data"], request["headers"])
        var answer: JSONObject = [
            "status": response["status"] ?? 0, "statusText": "", "httpVersion": "",
            "headers": response["headers"] ?? [],
        ]
        answer["content"] = body(response["body"], response["headers"])
        var entry: JSONObject = ["request": .object(asked), "response": .object(answer)]
        entry["time"] = call["duration"]
        if let end = Producers.start(command["date"]) {
            let start = end.time - (HAREntry.duration(call["duration"]) ?? .zero)
            entry["startedDateTime"] = .string(start.rfc3339)
        }
        return entry
    }

    /// What stands apart from a URL that has none itself, with its question mark.
    private static func query(_ parameters: JSONValue?, of url: String) -> String {
        guard !url.utf8.contains(UInt8(ascii: "?")), let parameters = parameters?.object else { return "" }
        let form = form(of: parameters)
        return form.isEmpty ? "" : "?\(form)"
    }

    private static func form(of object: JSONObject) -> String {
        FormBody.encode(object.members.map { ($0.name, Producers.text($0.value) ?? "") })
    }

    // MARK: - Bodies

    /// `postData` or `content`; nil where there is none, or it was left out.
    private static func body(_ body: JSONValue?, _ headers: JSONValue?) -> JSONValue? {
        guard let body, body != .null, body != .string(skipped) else { return nil }
        let type = HAREntry.headers(headers).first("content-type").map(Body.essence(of:))
        let text: String
        switch body {
        case .string(let told): text = told
        case .object(let object) where type == FormBody.mediaType && !object.isEmpty:
            text = form(of: object)
        // A form's parts in React Native, whose boundary nobody knows, and what is no JSON.
        case .object(let object) where object["_parts"] != nil || type == FormBody.mediaType:
            return ["mimeType": .string(type ?? "")]
        default: text = JSONWriter.text(of: body)
        }
        return HAREntry.told(body: text, headers).map { .object($0) }
    }

    // MARK: - Words between tildes

    private static let skipped = "~~~ skipped ~~~"

    /// What stands for values that JavaScript takes for false.
    private static let words: [String: JSONValue] = [
        "~~~ undefined ~~~": .null, "~~~ null ~~~": .null, "~~~ false ~~~": false, "~~~ true ~~~": true,
        "~~~ zero ~~~": 0, "~~~ empty string ~~~": "",
    ]

    private static func plain(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): text.hasPrefix("~~~ ") ? words[text] ?? value : value
        case .array(let list): .array(list.map(plain))
        case .object(let object):
            .object(
                JSONObject(object.members.map { JSONObject.Member(name: $0.name, value: plain($0.value)) })
            )
        default: value
        }
    }
}
