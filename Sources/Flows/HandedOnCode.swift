import Captures
package import OAuth

/// A code that a page of the app's hands to the app's own server, by script: the callback itself only loads the page.
package enum HandedOnCode {
    /// The request by which the server was last handed the code and refused it; nil where it was not, or did not.
    package static func refusal(
        of response: AuthorizationResponse,
        to request: AuthorizationRequest,
        in index: CaptureIndex
    )
        -> Int?
    {
        guard let code = response.code, code.utf8.count >= shortest, let callback = response.callback,
            let answer = index.capture[callback].response, (200..<300).contains(answer.status)
        else { return nil }
        let start = index.capture[callback].startedAt
        var last: Int?
        for exchange in index.order[(index.position[callback] + 1)...].prefix(mostExchanges) {
            let later = index.capture[exchange]
            guard later.startedAt - start <= .seconds(60) else { break }
            guard index.messages[exchange] == nil, later.request.method != "OPTIONS",
                later.request.url.origin != request.endpoint.origin, later.response != nil,
                carries(code, later.request)
            else { continue }
            last = exchange
        }
        guard let last, let status = index.capture[last].response?.status, status >= 400 else { return nil }
        return last
    }

    /// Whether a request behind the callback carries the code to anybody, or may: bodies were not saved or are large, tunnels
    /// not opened, or there is more than can be looked through.
    static func mayBeCarried(_ code: String, after callback: Int, in index: CaptureIndex) -> Bool {
        let later = index.order[(index.position[callback] + 1)...]
        let target = index.capture[callback].request.url.withoutQuery
        return later.count > 2 * mostExchanges
            || later.contains { exchange in
                let request = index.capture[exchange].request
                // The page loaded once more.
                if request.method == "GET", request.url.withoutQuery == target { return false }
                return request.method == "CONNECT" || mayHoldMore(request)
                    || request.url.text.containsBytes(code) || carries(code, request)
            }
    }

    /// Whether there may be more in a body than the capture shows of it, or than is looked at.
    private static func mayHoldMore(_ request: RecordedRequest) -> Bool {
        guard let body = request.body else {
            return request.headers.first("content-length").map { $0 != "0" } ?? false
        }
        return !body.isRecorded || body.isTruncated || (body.size ?? 0) >= largest
    }

    private static func carries(_ code: String, _ request: RecordedRequest) -> Bool {
        if request.url.queryItems.items.contains(where: { $0.value == code }) { return true }
        guard let body = request.body, (body.size ?? 0) < largest, let text = body.text else { return false }
        return text.containsBytes(code) || text.containsBytes(PercentEncoding.encode(code))
            || FormBody.items(of: body)?.items.contains { $0.value == code } ?? false
    }

    /// Shorter ones may be in a request by chance.
    private static let shortest = 8
    private static let mostExchanges = 200
    /// In bytes of a body.
    private static let largest = 1 << 16
}
