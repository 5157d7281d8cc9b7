import JOSE
import OAuth

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
