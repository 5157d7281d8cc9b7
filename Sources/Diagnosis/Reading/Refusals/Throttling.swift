import Captures
import Flows
import JSON
import OAuth

/// How providers say that too much is asked of them.
enum Throttling {
    /// Whether an answer refuses to serve anybody for a time: by its status, or in words of the provider's own under another one, for
    /// which OAuth has no name (Google, Zoho, Salesforce).
    static func isOne(_ response: RecordedResponse) -> Bool {
        response.status == 429
            || response.status >= 400 && isSaid(in: JSONBody.object(of: response.body, below: 4096))
    }

    /// The same of an answer of an endpoint's.
    static func isOne(_ answer: Answer) -> Bool {
        guard let status = answer.status else { return false }
        return status == 429 || status >= 400 && isSaid(in: answer.json)
    }

    /// Where an answer of another status than 429 says so, its text, and how long to wait; empty of others.
    static func evidence(of answer: Answer, in flow: Flow) -> [Evidence] {
        guard let status = answer.status, status >= 400, status != 429, let said = said(in: answer.json)
        else {
            return []
        }
        let wait = flow.capture[answer.exchange].response?.headers.first("retry-after").map {
            Evidence(
                place: Place(exchange: answer.exchange, part: .responseHeader, name: "Retry-After"),
                value: Masking.shown($0, of: "retry-after")
            )
        }
        let text = Evidence(
            place: Place(exchange: answer.exchange, part: .responseBody, name: said.member),
            value: Masking.shown(said.text, of: "error")
        )
        return [text] + [wait].compactMap(\.self)
    }

    /// Of a refusal that says so under another status.
    static let words = Violation.Words(
        title: "The provider says that it throttles this client",
        explanation: explanation,
        fix: fix
    )

    static let explanation =
        "The provider refused the request because too many came in too short a time from this client, user or address."
    static let fix = """
        Wait as long as Retry-After says before the next try, and longer after each further refusal. Keep tokens, metadata and keys \
        until they run out instead of asking for them again, and look for a loop that sends requests.
        """

    private static func isSaid(in json: JSONObject?) -> Bool { said(in: json) != nil }

    /// The member of an answer that says so, and its text.
    static func said(in json: JSONObject?) -> (member: String, text: String)? {
        guard let json, !otherErrors.contains(json["error"]?.string ?? "") else { return nil }
        let texts = members.compactMap { member in json[member]?.string.map { (member, $0) } }
        let nested = json["error"]?.object?["message"]?.string.map { ("error.message", $0) }
        return (texts + [nested].compactMap(\.self)).first { _, text in
            // By words: "corporate limit" has the letters of another one.
            let parts = text.asciiLowercased().utf8.split { !$0.isASCIIAlphanumeric }
            let sentence = " " + parts.map { String(Substring($0)) }.joined(separator: " ")
            return wordings.contains(where: sentence.containsBytes)
        }
    }

    /// Errors that have a name, whatever is said beside it: of what polls too often, and of a scope, which may be called `rate_limit:read`.
    private static let otherErrors: Set<String> = ["slow_down", "invalid_scope", "insufficient_scope"]

    /// Where names of errors, and what is said of them, stand.
    private static let members = [
        "error", "error_code", "error_description", "message", "msg", "errmsg", "__type",
    ]

    /// How providers word it, in lower case and with a space for what stands between words.
    private static let wordings = [
        " rate limit", "ratelimit", " rate exceeded", " too many requests", "toomanyrequests",
        " request limit reached",
    ]
}
