import Captures
import JOSE
import OAuth

extension CaptureIndex {
    /// The tokens of calls that no login is a part of: where nobody logged in, all that were refused, else those of clients that
    /// have no part in the logins.
    static func loneTokens(
        beside messages: [Int: OAuthMessage],
        capture: Capture,
        order: [Int],
        issued: Set<String>
    ) -> Set<String> {
        issued.isEmpty && messages.values.allSatisfy(\.isPublished)
            ? LoneCalls.refusedTokens(in: capture, order: order)
            : LoneCalls.refusedTokens(ofStrangersTo: messages, in: capture, order: order)
                .subtracting(issued)
    }

    /// Requests that carry one of these tokens to something that is no endpoint: resource calls.
    ///
    /// `tokens`: those that were issued in the capture, and ``loneTokens(beside:capture:order:issued:)``.
    static func addingResources(
        _ messages: [Int: OAuthMessage],
        capture: Capture,
        order: [Int],
        tokens: Set<String>
    ) -> [Int: OAuthMessage] {
        guard !tokens.isEmpty else { return messages }
        var messages = messages
        // Where a token was asked for once, the marks in place of tokens are marks of tokens.
        let resources = Set(
            capture.indices.compactMap {
                isChallenged(capture[$0]) ? capture[$0].request.url.withoutQuery : nil
            }
        )
        for index in order where messages[index] == nil && !isStepOfSignIn(capture[index]) {
            let exchange = capture[index]
            guard let token = bearer(exchange.request, index),
                tokens.contains(token.value) || MissingToken.isOne(token.value)
                    || Placeholder.isOne(token.value) && resources.contains(exchange.request.url.withoutQuery)
            else { continue }
            messages[index] = .resource(
                EndpointCall(
                    exchange: index,
                    request: exchange.request,
                    parameters: Parameters(exchange.request.url.queryItems, of: index, in: .requestQuery),
                    answer: Answer(of: exchange, at: index)
                )
            )
        }
        return messages
    }

    /// Whether it is a step of a sign-in that an app makes itself at Curity's Hypermedia Authentication API: the token there proves the
    /// app, and opens nothing.
    static func isStepOfSignIn(_ exchange: Exchange) -> Bool {
        // Some libraries put a line of their own before the app's.
        exchange.request.headers.all("accept").contains { $0.containsBytes(hypermedia) }
            || exchange.response?.body?.essence == hypermedia
    }

    private static let hypermedia = "application/vnd.auth+json"

    /// Access tokens, and ID tokens, which some clients send in their place.
    static func issuedTokens(in answers: [Parameters]) -> Set<String> {
        var issued: Set<String> = []
        for answer in answers {
            for name in ["access_token", "id_token"] {
                if let token = answer[name], !token.isEmpty { issued.insert(token) }
            }
        }
        return issued
    }

    /// In the header, or in the query, where it ought not to be (RFC 6750, section 2.3).
    private static func bearer(_ request: RecordedRequest, _ index: Int) -> Parameter? {
        if let token = BearerToken.of(request, exchange: index) { return token }
        guard let query = request.url.query, query.containsBytes("access_token=") else {
            return BearerToken.unread(in: request, exchange: index)?.token
        }
        return Parameters(QueryItems(query), of: index, in: .requestQuery).parameter("access_token")
    }

    /// Whether the answer says that a token was expected, and refused (RFC 6750, section 3; RFC 9449, section 7.1).
    private static func isChallenged(_ exchange: Exchange) -> Bool {
        exchange.response?.headers.all("www-authenticate").contains { field in
            ["bearer", "dpop"].contains(field.prefix { $0 != " " }.lowercased())
        } ?? false
    }
}
