import Captures
import JSON

/// An answer as it was recorded, for others to be made like it.
struct AnswerTemplate: Sendable {
    var status: Int
    /// Those of the recording that an answer to somebody else may have, too.
    var headers: HeaderFields
    /// The members of a JSON object, or of a form where the server wrote one.
    var members: JSONObject?
    /// Whether ``members`` travel as a form (GitHub, without `Accept`).
    var isForm = false
    /// Whatever it was, where it is no object.
    var body: Body?

    init(status: Int, headers: HeaderFields = HeaderFields(), members: JSONObject? = nil) {
        self.status = status
        self.headers = headers
        self.members = members
    }

    init(_ response: RecordedResponse) {
        status = response.status
        headers = Self.reusable(response.headers)
        guard let body = response.body, (body.size ?? 0) < Self.maximumBytes else { return }
        if let object = JSONBody.value(of: body)?.object {
            members = object
        } else if body.essence == FormBody.mediaType, let items = FormBody.items(of: body) {
            members = JSONObject(items.items.map { ($0.name, .string($0.value)) })
            isForm = true
        } else {
            self.body = body
        }
    }

    private static let maximumBytes = 4 << 20

    /// Header fields without those of one message, of one connection, and of the recorded host's policies, which
    /// would hold for this machine; nor those whose name is none, which no server can send.
    static func reusable(_ headers: HeaderFields) -> HeaderFields {
        HeaderFields(headers.fields.filter { !dropped.contains($0.name.lowercased()) && isName($0.name) })
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(\.isTokenCharacter)
    }

    private static let dropped: Set<String> = [
        "date", "age", "content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive",
        "set-cookie", "location", "dpop-nonce", "etag", "last-modified", "accept-ranges", "trailer",
        "upgrade",
        "strict-transport-security", "alt-svc", "public-key-pins", "expect-ct", "nel", "report-to",
        "reporting-endpoints", "content-security-policy-report-only", "clear-site-data", "vary", "via",
        "x-firefox-spdy", "proxy-connection", "content-md5", "server-timing",
    ]
}
