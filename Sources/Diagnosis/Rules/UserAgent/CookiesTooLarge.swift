import Captures
import Flows
import OAuth

/// A page was refused because the request's header, mostly its cookies, is longer than the server takes.
///
/// Cookies of logins that were never finished pile up, or whole tokens are kept in cookies, until one day
/// every request to the site fails.
struct CookiesTooLarge: Rule {
    static let info = RuleInfo(
        id: "cookies-too-large",
        title: "The cookies have outgrown what the server takes",
        severity: .error,
        explanation: """
            The server, or the proxy before it, refused the request for the size of its header before any code of the app saw it. What fills \
            it are cookies: those of logins that were begun and never finished, or tokens kept in cookies.
            """,
        fix: """
            Delete the login's cookies at the callback, also when it fails, and give them a short lifetime. Keep tokens and sessions on the \
            server with only an id in the cookie. Raising the server's limit buys time. People who are caught in it have to clear the \
            site's cookies.
            """,
        badExample: """
            GET /callback?code=…   Cookie: nonce.a1=…; nonce.b2=…; nonce.c3=…  (9,400 bytes)
            400 Request Header Or Cookie Too Large
            """,
        goodExample: """
            GET /callback?code=…   Cookie: nonce.c3=…  (60 bytes)
            302 /   Set-Cookie: nonce.c3=; Max-Age=0
            """,
        specifications: [.rfc(6585, "5")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: flow.exchanges + pagesAfterCallbacks(flow)) { index in
            let exchange = flow.capture[index]
            guard let response = exchange.response, [400, 413, 431, 494].contains(response.status) else {
                return .holds
            }
            let text = tooLong(response)
            let length = Self.cookieLength(of: exchange.request)
            let isStated = response.status == 431 || response.status == 494
            guard text != nil || length > 0 || !isStated else {
                return .abstains("the cookies of the refused request are not in the capture")
            }
            guard text != nil || isStated || response.status == 400 && length > 8000 else { return .holds }
            return .violated(Violation(evidence(index, response.status, text, length, exchange)))
        }
    }

    /// Bytes of the header; of the cookies that a producer lists where it keeps no header.
    private static func cookieLength(of request: RecordedRequest) -> Int {
        let headers = request.headers.all("cookie")
        guard headers.isEmpty else { return headers.reduce(0) { $0 + $1.utf8.count } }
        return request.listedCookies.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 }
    }

    /// Pages of the app that its callbacks redirected to: they belong to no flow, and fail the same way.
    private func pagesAfterCallbacks(_ flow: Flow) -> [Int] {
        let own = Set(flow.exchanges)
        return flow.authorizationResponses.compactMap(\.callback).flatMap { callback in
            flow.surroundings.redirects(behind: callback).filter { !own.contains($0) }
        }
    }

    private static let texts = [
        "request header or cookie too large", "bad request - request too long",
        "the size of the request headers is too long", "size of a request header field exceeds server limit",
    ]

    private func tooLong(_ response: RecordedResponse) -> (words: String, text: String)? {
        guard let body = response.body, (body.size ?? 0) < 1 << 18, let text = body.text else { return nil }
        let lower = text.asciiLowercased()
        return Self.texts.first(where: lower.containsBytes).map { ($0, text) }
    }

    // MARK: - Evidence

    private func evidence(
        _ index: Int,
        _ status: Int,
        _ text: (words: String, text: String)?,
        _ length: Int,
        _ exchange: Exchange
    ) -> [Evidence] {
        var evidence = [
            Evidence(place: Place(exchange: index, part: .responseStatus, name: ""), value: "\(status)")
        ]
        if let (words, body) = text {
            evidence.append(
                Evidence(
                    place: Place(exchange: index, part: .responseBody, name: ""),
                    value: Excerpt.around(words, in: body)
                )
            )
        }
        guard length > 0 else { return evidence }
        let names = exchange.request.cookies.map(\.name)
        evidence.append(
            Evidence(
                place: Place(exchange: index, part: .requestHeader, name: "Cookie"),
                value: "\(length.counted("byte")) in \(names.count.counted("cookie"))",
                note: repetitions(names)
            )
        )
        return evidence
    }

    /// The beginning that many names share, up to a separator, with their number.
    private func repetitions(_ names: [String]) -> String? {
        var counts: [String: Int] = [:]
        for name in names {
            let ends = name.utf8.indices.prefix(128).dropFirst().filter {
                [0x2d, 0x2e, 0x5f].contains(name.utf8[$0])
            }
            for end in ends.prefix(6) { counts[String(name[...end]), default: 0] += 1 }
        }
        guard let most = counts.values.max(), most > 2 else { return nil }
        // The longest beginning that nearly as many share.
        let best = counts.filter { $0.value * 10 >= most * 9 }.max {
            ($0.key.utf8.count, $1.key) < ($1.key.utf8.count, $0.key)
        }
        return best.map { "\($0.value) begin with \($0.key)" }
    }
}
