import Captures
import Flows
import JOSE
import JSON
import OAuth

/// What shows that a login is one of an app on a device: what the app itself sent or fetched.
enum AppOnDevice {
    /// Requests of an app that hand the code of a login to somebody else than the provider, in order of time.
    static func relays(of login: Login, in flow: Flow) -> [Int] {
        guard let response = login.response, let code = response.code, code.utf8.count >= 6 else { return [] }
        let providers = flow.providerHosts
        let spelled = Array(code.utf8)
        let encoded = Array(PercentEncoding.encode(code).utf8)
        return flow.exchanges(after: response.exchange, within: .seconds(300)).filter { index in
            let request = flow.capture[index].request
            guard PublicAgent(of: request, at: index)?.kind == .native,
                let host = request.url.host, !providers.contains(host),
                flow.surroundings.messages[index] == nil
            else { return false }
            if let query = request.url.query,
                query.containsBytes(code) || query.utf8.firstRange(of: encoded) != nil
            {
                return true
            }
            guard let body = request.body, (body.size ?? 0) < 1 << 16, let bytes = body.bytes else {
                return false
            }
            return bytes.firstRange(of: spelled) != nil || bytes.firstRange(of: encoded) != nil
        }
    }

    /// How the app's back end answered to a code that it was handed, and whose exchange was not recorded; nil where it was
    /// not, or did not answer.
    static func relayedOutcome(of flow: Flow) -> Outcome? {
        guard flow.tokenRequests.isEmpty, let login = flow.logins.last else { return nil }
        let statuses = relays(of: login, in: flow).compactMap { flow.capture[$0].response?.status }
        return statuses.last.map { $0 < 400 ? .success : .failure }
    }

    /// An answer to an app that holds the code challenge of a request: its back end made it.
    static func fetchOfChallenge(_ request: AuthorizationRequest, in flow: Flow) -> Int? {
        guard let challenge = request.codeChallenge, challenge.utf8.count >= 20 else { return nil }
        let wanted = Array(challenge.utf8)
        return flow.exchanges(before: request.exchange, within: .seconds(300)).first { index in
            let exchange = flow.capture[index]
            guard PublicAgent(of: exchange.request, at: index)?.kind == .native,
                let body = exchange.response?.body, (body.size ?? 0) < 1 << 16, let bytes = body.bytes
            else { return false }
            return bytes.firstRange(of: wanted) != nil
        }
    }

    /// Whether an agent is that of an iPhone or iPad; those that name themselves a Mac are not told.
    static func isIOS(_ agent: String) -> Bool {
        ["iPhone", "iPad", "iPod"].contains(where: agent.containsBytes)
    }
}
