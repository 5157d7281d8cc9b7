import Captures
import OAuth

/// Calls of APIs whose access token stood in a header that the export left out.
///
/// Who is told of a token that is invalid, or not enough, has shown one (RFC 6750, section 3.1). Whose it was cannot be known, so it
/// is one of the capture only where a client that was given tokens here sent the call, to the host that gave them or from the same
/// page or app, and where nothing shows that the address was served later.
enum LeftOutTokens {
    private struct Client: Hashable {
        var agent: String?
        /// Of the page that asked.
        var origin: String?
    }

    /// Adds the calls that were refused for such a token to the messages, with a mark for it; nothing where the capture has any
    /// credential.
    static func adding(
        to messages: [Int: OAuthMessage],
        of requests: [AuthorizationRequest],
        capture: Capture,
        order: [Int]
    ) -> [Int: OAuthMessage] {
        // Nearly always there is none.
        guard order.contains(where: { messages[$0] == nil && LoneCalls.isNamed(capture[$0]) }),
            RecordedCredentials.isSanitized(capture, requests)
        else { return messages }
        var added = messages
        for index in refused(besides: messages, capture, order) {
            var call = EndpointCall(
                exchange: index,
                request: capture[index].request,
                parameters: Parameters(capture[index].request.url.queryItems, of: index, in: .requestQuery),
                answer: Answer(of: capture[index], at: index)
            )
            guard call.token == nil else { continue }
            call.token = BearerToken.leftOut(of: index)
            added[index] = .resource(call)
        }
        return added
    }

    /// The last refusal at each address, without those that were followed by a success there.
    private static func refused(besides messages: [Int: OAuthMessage], _ capture: Capture, _ order: [Int])
        -> [Int]
    {
        /// With the hosts that gave them tokens.
        var given: [Client: Set<String>] = [:]
        var open: [String: Int] = [:]
        for index in order {
            let exchange = capture[index]
            if case .token(let request) = messages[index], request.answer.isSuccess {
                given[client(of: exchange), default: []].insert(exchange.request.url.host ?? "")
            }
            guard messages[index] == nil, exchange.request.method != "OPTIONS",
                let status = exchange.response?.status
            else { continue }
            let address = exchange.request.url.withoutQuery
            if status < 400 {
                open[address] = nil
            } else if LoneCalls.isNamed(exchange), !CaptureIndex.isStepOfSignIn(exchange),
                isOfOne(of: given, exchange)
            {
                open[address] = index
            }
        }
        return Array(open.values)
    }

    private static func isOfOne(of given: [Client: Set<String>], _ exchange: Exchange) -> Bool {
        let client = client(of: exchange)
        if client.agent != nil, given[client] != nil { return true }
        let host = exchange.request.url.host ?? ""
        return given.contains { $0.key.agent == client.agent && $0.value.contains(host) }
    }

    private static func client(of exchange: Exchange) -> Client {
        Client(
            agent: exchange.request.headers.first("user-agent"),
            origin: exchange.request.headers.first("origin")
        )
    }
}
