import Captures
import JOSE
import OAuth

/// Whose tokens the token endpoint gave out, as far as the capture tells: by the ID token, by the refresh token that they were got
/// with, or by a signed access token.
struct TokenSubjects: Sendable {
    /// By the exchange of the token request.
    private(set) var granted: [Int: String] = [:]
    private var byRefreshToken: [String: String] = [:]

    init(_ index: CaptureIndex) {
        for request in index.tokenRequests where request.answer.isSuccess {
            let sent = request.refreshToken.flatMap { Placeholder.isOne($0) ? nil : $0 }
            let issued = request.issuedRefreshToken.flatMap { Placeholder.isOne($0) ? nil : $0 }
            guard
                let subject = request.idToken?.token.subject ?? sent.flatMap({ byRefreshToken[$0] })
                    ?? request.accessToken.flatMap({ JSONWebToken.parse($0)?.subject })
            else { continue }
            granted[request.exchange] = subject
            if let token = issued ?? sent { byRefreshToken[token] = subject }
        }
    }

    /// Of whoever refreshes; nil where the capture does not tell.
    func subject(ofRefresh request: TokenRequest) -> String? {
        request.refreshToken.flatMap { byRefreshToken[$0] }
    }
}

/// By what two messages of one client are of the same user: what their tokens say, or, where one of them says nothing, the
/// browser or the app that sent both.
struct UserTraces: Sendable {
    private enum Trace: Hashable {
        case subject(String)
        case agent(String)
        case agentAlone(String)
    }

    private struct Key: Hashable {
        var client: String
        var place: String
        var trace: Trace
    }

    /// The last position of each.
    private var last: [Key: Int] = [:]

    /// - Parameters:
    ///   - position: where it stands in the order of time.
    ///   - client: whose it is.
    ///   - place: what it has in common with others beside the client.
    ///   - subject: nil where nothing tells.
    ///   - agents: as requests name them; those of servers say nothing of users.
    mutating func add(
        _ position: Int,
        _ client: String,
        at place: String = "",
        subject: String?,
        agents: [String?]
    ) {
        var traces = subject.map { [Trace.subject($0)] } ?? []
        for agent in agents.compactMap(\.self) where UserAgentName.isOnDevice(agent) {
            traces.append(.agent(agent))
            if subject == nil { traces.append(.agentAlone(agent)) }
        }
        for trace in traces {
            let key = Key(client: client, place: place, trace: trace)
            last[key] = max(last[key] ?? position, position)
        }
    }

    /// Whether the same user's follows a position.
    func follows(
        _ position: Int,
        _ client: String,
        at place: String = "",
        subject: String?,
        agent: String?
    ) -> Bool {
        let agent = agent.flatMap { UserAgentName.isOnDevice($0) ? $0 : nil }
        var traces = subject.map { [Trace.subject($0)] } ?? []
        if let agent { traces.append(subject == nil ? .agent(agent) : .agentAlone(agent)) }
        return traces.contains { trace in
            last[Key(client: client, place: place, trace: trace)].map { $0 > position } ?? false
        }
    }
}
