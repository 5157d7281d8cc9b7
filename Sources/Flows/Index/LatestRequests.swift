package import Captures
import OAuth

/// When the provider's hosts were asked and answered last, so that a rule can tell what was tried again or gone on with.
///
/// Made once for a capture. Times are places in ``CaptureIndex/order``.
package struct LatestRequests: Sendable {
    /// By host: the last authorization request, also one that was pushed.
    package private(set) var authorization: [String: Int] = [:]
    /// By host: the last request of any grant, the registration of a client included.
    package private(set) var grant: [String: Int] = [:]
    /// By origin, then by the client's process (empty where it is not known): the last exchange that was answered.
    package private(set) var answer: [String: [String: Int]] = [:]
    /// Origins that served metadata of an authorization server.
    package private(set) var describedOrigins: Set<String> = []
    /// When the last exchange of the file was over.
    package private(set) var end = Timestamp(nanoseconds: 0)

    init(_ capture: Capture, order: [Int], messages: [Int: OAuthMessage]) {
        for (position, index) in order.enumerated() {
            let exchange = capture[index]
            end = max(end, exchange.endedAt)
            let url = exchange.request.url
            guard let host = url.host, let origin = url.origin else { continue }
            if exchange.isAnswered, exchange.failure == nil, exchange.request.method != "CONNECT" {
                answer[origin, default: [:]][exchange.client.process ?? ""] = position
            }
            switch messages[index] {
            case .authorizationRequest, .pushedRequest:
                authorization[host] = position
                grant[host] = position
            case .token, .deviceAuthorization, .backchannelAuthentication, .registration,
                .clientConfiguration:
                grant[host] = position
            case .discovery(let document) where document.isUsable && !document.isProtectedResource:
                describedOrigins.insert(origin)
            default: break
            }
        }
    }

    /// Whether an origin answered this client, or one nobody knows, after a place in time.
    package func isAnswered(_ origin: String, to process: String?, after position: Int) -> Bool {
        guard let answers = answer[origin] else { return false }
        guard let process else { return answers.values.contains { $0 > position } }
        return [answers[process], answers[""]].contains { $0.map { $0 > position } ?? false }
    }
}
