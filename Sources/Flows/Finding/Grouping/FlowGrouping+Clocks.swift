import Captures
import JOSE
import OAuth

/// What two recorders with different clocks have put out of order: token requests that stand before the answer with their code.
extension FlowGrouping {
    /// Keeps a token request until its code has been delivered, and what has a token of its answer until then.
    mutating func waits(_ message: OAuthMessage) -> Bool {
        if let code = early.owner(of: message) {
            early.insert(message, of: code)
            return true
        }
        guard case .token(let request) = message, let code = request.code, byCode[code] == nil,
            let place = ahead.deliveries[code],
            place > index.position[request.exchange]
                || earlyCodes.contains(code)
        else { return false }
        early.insert(message, of: code)
        return true
    }

    /// The token requests that came before the answer with their code.
    mutating func joinEarly(to response: AuthorizationResponse) {
        guard let code = response.code else { return }
        for message in early.take(code) { join(message, at: message.exchange) }
    }

    /// What waited in vain.
    mutating func joinWhatWaits() {
        for message in early.takeAll().sorted(by: {
            index.position[$0.exchange] < index.position[$1.exchange]
        }) {
            join(message, at: message.exchange)
        }
    }
}

/// Messages that wait for the delivery of a code, in order of time.
struct EarlyMessages {
    private var byCode: [String: [OAuthMessage]] = [:]
    /// The codes by the tokens that they were exchanged for.
    private var owners: [String: String] = [:]

    /// The code whose exchange gave the token that a message has.
    func owner(of message: OAuthMessage) -> String? {
        guard !owners.isEmpty else { return nil }
        let tokens: [String?] =
            switch message {
            case .userInfo(let call), .resource(let call), .introspection(let call), .revocation(let call):
                [call.token?.value, call.parameters["token"]]
            case .token(let request): [request.refreshToken, request.exchangedToken]
            case .endSession(let call): [call.parameters["id_token_hint"]]
            default: []
            }
        return tokens.lazy.compactMap { $0.flatMap { owners[$0] } }.first
    }

    mutating func insert(_ message: OAuthMessage, of code: String) {
        byCode[code, default: []].append(message)
        guard case .token(let request) = message else { return }
        let given = ["access_token", "refresh_token", "id_token"].compactMap { request.answer.parameters[$0] }
        for token in given where !Placeholder.isOne(token) { owners[token] = code }
    }

    mutating func take(_ code: String) -> [OAuthMessage] {
        guard let messages = byCode.removeValue(forKey: code) else { return [] }
        if byCode.isEmpty { owners = [:] } else { owners = owners.filter { $0.value != code } }
        return messages
    }

    mutating func takeAll() -> [OAuthMessage] {
        defer {
            byCode = [:]
            owners = [:]
        }
        return byCode.values.flatMap(\.self)
    }
}
