import Captures

/// Recorded answers that are the same for everybody: style sheets, scripts, images of the provider's own hosts, and
/// pages that nobody asked for in the course of a login.
struct AssetShelf: Sendable {
    private var answers: [String: RecordedResponse] = [:]

    init() {}

    /// Keeps an answer; the first one with a body counts.
    mutating func put(_ response: RecordedResponse, at url: RecordedURL) {
        guard response.status < 500, response.status != 304 else { return }
        for key in [url.text, url.withoutQuery] {
            let isBetter = answers[key].map { ($0.body?.size ?? 0) == 0 } ?? true
            if isBetter { answers[key] = response }
        }
    }

    /// The answer of an address; nil where none was recorded with a body.
    func answer(to request: RecordedRequest, addresses: AddressMap) -> BuiltAnswer? {
        let url = request.url
        let target = url.pathAndQuery
        guard let recorded = addresses.recorded(target),
            let found = answers[recorded] ?? answers[RecordedURL(recorded).withoutQuery],
            found.location == nil
        else { return nil }
        var answer = BuiltAnswer(found.status)
        answer.headers = AnswerTemplate.reusable(found.headers)
        guard let body = found.body else { return answer }
        if let coding = body.remainingCoding {
            if coding != ContentCoding.unknown { answer.headers.append("Content-Encoding", coding) }
            answer.content = .body(body)
            return answer
        }
        // Scripts name the provider, too.
        if Self.isText(body), let text = body.bytes {
            let bytes = Substitution([], addresses: addresses).applied(to: text)
            answer.content = .body(Body(content: .bytes(bytes), mediaType: body.mediaType, size: bytes.count))
        } else {
            answer.content = .body(body)
        }
        return answer
    }

    private static func isText(_ body: Body) -> Bool {
        guard let type = body.essence, (body.size ?? 0) < 2 << 20 else { return false }
        return type.hasPrefix("text/") || type.hasSuffix("json") || type.hasSuffix("javascript")
            || type.hasSuffix("xml")
    }
}
