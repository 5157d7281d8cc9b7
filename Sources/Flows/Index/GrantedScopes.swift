import Captures
import JOSE
import OAuth

/// Calls of APIs and UserInfo that went well, as answers to one that was refused for a scope before (RFC 6750, section 3.1).
struct GrantedScopes: Sendable {
    private struct Owner: Sendable {
        var client: String
        var subject: String?
    }

    /// What requests have in common that are one and the same but for their bodies.
    private struct Line: Hashable {
        var token: String
        var method: String
        var url: String
    }

    /// Of the tokens that the capture saw given out.
    private var owners: [String: Owner] = [:]
    /// The last position of each token, by method and address.
    private var taken: [String: [String: Int]] = [:]
    /// Exchanges, in order of time.
    private var lines: [Line: [Int]] = [:]

    init(_ index: CaptureIndex) {
        for request in index.tokenRequests where request.answer.isSuccess {
            guard let client = request.clientID, let token = request.accessToken, !Placeholder.isOne(token)
            else { continue }
            owners[token] = Owner(client: client, subject: index.subjects.granted[request.exchange])
        }
        for exchange in index.order {
            guard let call = index.messages[exchange]?.protectedCall, call.answer.isSuccess else { continue }
            let address = index.methodAndAddress(of: call)
            taken[address, default: [:]][call.knownToken] = index.position[exchange]
            lines[Self.line(of: call, index), default: []].append(exchange)
        }
    }

    /// Whether a call went well after it was refused: with a token that was got anew, with the same one where its user was asked in
    /// between, or sent again just as it was.
    ///
    /// Another method at the same address may want another scope.
    func isGranted(after call: EndpointCall, in index: CaptureIndex) -> Bool {
        isTakenLater(call, index) || isRepeated(call, index)
    }

    private func isTakenLater(_ call: EndpointCall, _ index: CaptureIndex) -> Bool {
        let refused = index.capture[call.exchange]
        let place = index.position[call.exchange]
        let token = call.knownToken
        let owner = owners[token]
        return (taken[index.methodAndAddress(of: call)] ?? [:]).contains { other, last in
            guard last > place else { return false }
            // What was taken out of the capture may be any.
            if token.isEmpty || other.isEmpty { return true }
            if token == other {
                return index.authorizationRequests(after: refused.startedAt, within: Self.day).contains {
                    (owner == nil || $0.clientID == owner?.client) && index.position[$0.exchange] < last
                }
            }
            guard let owner, let another = owners[other] else { return true }
            return owner.client == another.client
                && (owner.subject == nil || another.subject == nil || owner.subject == another.subject)
        }
    }

    private func isRepeated(_ call: EndpointCall, _ index: CaptureIndex) -> Bool {
        let body = index.capture[call.exchange].request.body?.bytes
        let place = index.position[call.exchange]
        return (lines[Self.line(of: call, index)] ?? []).reversed().contains { other in
            index.position[other] > place && index.capture[other].request.body?.bytes == body
        }
    }

    private static let day = Duration.seconds(86_400)

    private static func line(of call: EndpointCall, _ index: CaptureIndex) -> Line {
        let request = index.capture[call.exchange].request
        return Line(token: call.knownToken, method: request.method, url: request.url.text)
    }
}
