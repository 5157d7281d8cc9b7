import Captures
import OAuth

/// Calls of APIs whose access token stood in a header that the export left out.
///
/// Who is told of a token that is invalid, or not enough, has shown one (RFC 6750, section 3.1). Whose it was cannot be known, so it
/// is one of the capture only where a client that was given tokens here sent the call, to the host that gave them or from the same
/// page or app, and where nothing shows that the address was served later.
enum LeftOutTokens {
    private enum Client: Hashable {
        /// By what it calls itself, and the origin of the page that asked.
        case page(agent: String, origin: String?)
        /// By what it calls itself, and whom it asked.
        case asking(host: String?, agent: String?)
    }

    /// Adds the calls that were refused for such a token to the messages, with a mark for it; none of a file that has any credential.
    static func adding(
        to messages: [Int: OAuthMessage],
        of requests: [AuthorizationRequest],
        capture: Capture,
        order: [Int]
    ) -> [Int: OAuthMessage] {
        // Nearly always there is none.
        guard order.contains(where: { messages[$0] == nil && LoneCalls.isNamed(capture[$0]) }) else {
            return messages
        }
        let stripped = StrippedFiles(capture, requests, messages)
        var added = messages
        for index in refused(besides: messages, capture, order)
        where stripped.mayLackCredentials(capture[index]) {
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
        var given: Set<Client> = []
        var open: [String: Int] = [:]
        for index in order {
            let exchange = capture[index]
            if case .token(let request) = messages[index], request.answer.isSuccess {
                given.formUnion(clients(of: exchange))
            }
            guard messages[index] == nil, exchange.request.method != "OPTIONS",
                let status = exchange.response?.status
            else { continue }
            let address = exchange.request.url.withoutQuery
            if status < 400 {
                open[address] = nil
            } else if LoneCalls.isNamed(exchange), !CaptureIndex.isStepOfSignIn(exchange),
                !given.isDisjoint(with: clients(of: exchange))
            {
                open[address] = index
            }
        }
        return Array(open.values)
    }

    private static func clients(of exchange: Exchange) -> [Client] {
        let headers = exchange.request.headers
        let agent = headers.first("user-agent")
        return [
            agent.map { .page(agent: $0, origin: headers.first("origin")) },
            .asking(host: exchange.request.url.host, agent: agent),
        ].compactMap(\.self)
    }
}
