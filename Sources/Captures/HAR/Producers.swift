import JSON

/// What single producers do differently, each under its name.
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
        if let words = candidates.lazy.compactMap({ $0?.string }).first(where: { !$0.isEmpty }) {
            return words
        }
        // Charles and Fiddler tell in a comment, which is only a reason where there is no answer.
        // Charles answers a CONNECT itself before the handshake in it fails.
        guard (response["status"]?.int ?? 0) <= 0 || entry["request"]?["method"]?.string == "CONNECT" else {
            return nil
        }
        return [response["comment"], entry["comment"]].lazy.compactMap { $0?.string }.first { !$0.isEmpty }
    }
}
