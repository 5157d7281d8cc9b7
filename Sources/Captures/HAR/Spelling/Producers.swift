import JSON

/// What single producers do differently, each under its name.
///
/// The first look is for what HAR wants; what others write in its place is looked for only where that is not there.
enum Producers {
    /// The words for why there was no (whole) answer.
    static func failure(of entry: JSONObject, response: JSONObject) -> String? {
        let candidates = [
            // Chrome: in the response; authreel: in the entry.
            response["_error"], entry["_error"],
            // Firefox and Playwright.
            response["_failureText"], entry["_errorMessage"], response["_errorMessage"],
            response["_blockedReason"], entry["_blockedReason"],
            // HTTP Toolkit lists failed handshakes beside the entries and in them.
            entry["_tlsError"],
        ]
        if let words = candidates.lazy.compactMap(words(ofError:)).first { return words }
        let charles = brokenOff(response)
        // Charles and Fiddler tell in a comment, which is only a reason where there is no answer.
        // Charles answers a CONNECT itself before the handshake in it fails.
        guard
            (status(response["status"]) ?? 0) <= 0 || entry["request"]?["method"]?.string == "CONNECT"
                || charles != nil
        else {
            return nil
        }
        return [response["comment"], entry["comment"]].lazy.compactMap { $0?.string }.first { !$0.isEmpty }
            ?? charles
    }

    /// The words of an error; har-sdk and Proxyman have them in an object, beside their code.
    static func words(ofError error: JSONValue?) -> String? {
        let words = error?.string ?? error?["message"]?.string ?? error?["code"].flatMap(text)
        return words.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Charles writes down answers that broke off under the status that they had begun with.
    private static func brokenOff(_ response: JSONObject) -> String? {
        guard let words = response["_charlesStatus"]?.string else { return nil }
        return ["EXCEPTION", "FAILED", "ABORTED"].contains(words.uppercased())
            ? "Charles: \(words.lowercased())" : nil
    }

    /// What a response tells though there was none: a blocked answer's headers in Firefox, Fiddler's own page.
    static func told(inNoAnswer response: JSONObject) -> JSONObject {
        JSONObject(
            response.members.filter { member in
                guard member.name != "_error" else { return false }
                guard let ours = HAREntry.noAnswer.first(where: { $0.name == member.name }) else {
                    return true
                }
                return ours.value != member.value && member.value != .null
                    && !(member.name == "bodySize" && member.value.int == 0)
            }
        )
    }

    /// Whether ``remarks(on:)`` may have something to say of the entry that this was made of.
    static func isSuspicious(_ exchange: Exchange) -> Bool {
        !exchange.startedAt.isKnown || exchange.request.method.isEmpty
            || exchange.request.url.text.isEmpty
    }

    /// What an entry has, but could not be used, by the name of the member.
    static func remarks(on entry: JSONObject) -> [(member: String, what: String)] {
        var remarks: [(member: String, what: String)] = []
        if let words = entry["startedDateTime"], words != .null, start(of: entry) == nil {
            let text = JSONWriter.text(of: words).prefix(60)
            let what =
                "its startedDateTime is no time that is known: \(text); it stands where the entry before it does"
            remarks.append(("startedDateTime", what))
        }
        for name in ["request", "response"] {
            if let part = entry[name], part != .null, part.object == nil {
                remarks.append((name, "its \(name) is no object"))
            }
        }
        let request = entry["request"]
        // A connection that nobody could read has words of its own.
        if remarks.isEmpty, entry["_error"] == nil, text(request?["url"])?.isEmpty ?? true {
            remarks.append(("request", "its request has no url, so that nothing tells what was asked"))
        }
        return remarks
    }

    /// Whether an entry says something in a way that only this reader knows, so that others should see it as we write it.
    static func isUnusual(_ entry: JSONValue) -> Bool {
        guard let started = entry["startedDateTime"]?.string, Timestamp(rfc3339: started) != nil else {
            return entry["startedDateTime"] != nil
        }
        let request = entry["request"]
        let response = entry["response"]
        return [
            request?["headers"], request?["cookies"], response?["headers"], response?["cookies"],
        ].contains { $0.map { !isPlain($0) } ?? false }
            || !isWhole(urlOf: request) || request?["_content"] != nil
            || isOddBody(request?["postData"], request)
            || isOddBody(response?["content"], response) || response?["status"]?.string != nil
            || response?["status"]?.object != nil
    }

    private static func isPlain(_ fields: JSONValue) -> Bool {
        if fields == .null { return true }
        guard let list = fields.array else { return false }
        return list.allSatisfy {
            $0["name"]?.string != nil && ($0["value"] == nil || $0["value"]?.string != nil)
        }
    }

    private static func isOddBody(_ body: JSONValue?, _ message: JSONValue?) -> Bool {
        guard let body, body != .null else { return false }
        guard let object = body.object else { return true }
        if let text = object["text"]?.string, !text.isEmpty { return object["_encoding"] != nil }
        return object["params"]?.array?.isEmpty == false || object["text"].map { $0 != .null } ?? false
            || bodyInComment(object) != nil
    }
}
