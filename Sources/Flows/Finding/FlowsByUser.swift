import Captures
import JOSE
import JSON

/// Flows by whom their ID tokens sign in: the provider's session (`sid`), and its user (`sub`).
///
/// What the provider says later of a session or a user goes with the flow of theirs, not with the client's last one.
struct FlowsByUser {
    private var bySession: [String: [FlowBuilder]] = [:]
    private var bySubject: [String: [FlowBuilder]] = [:]

    /// Notes whom an ID token of a flow signs in.
    mutating func note(_ token: JSONWebToken, of flow: FlowBuilder) {
        if let session = Self.session(token) { Self.add(flow, to: &bySession[session, default: []]) }
        if let subject = Self.subject(token) { Self.add(flow, to: &bySubject[subject, default: []]) }
    }

    /// The latest flow of the session that a token names, else of its user, among those that fit.
    func last(of token: JSONWebToken, where fits: (FlowBuilder) -> Bool) -> FlowBuilder? {
        (Self.session(token).flatMap { bySession[$0] } ?? []).last(where: fits)
            ?? (Self.subject(token).flatMap { bySubject[$0] } ?? []).last(where: fits)
    }

    /// The flows of a session of a provider, the latest last.
    func flows(inSession name: String?, of issuer: String?) -> [FlowBuilder] {
        guard let name, !Placeholder.isOne(name) else { return [] }
        return bySession[Self.key(name, issuer)] ?? []
    }

    private static func session(_ token: JSONWebToken) -> String? { key("sid", in: token) }

    private static func subject(_ token: JSONWebToken) -> String? { key("sub", in: token) }

    /// A session or user is one of its issuer (OpenID Connect Core, section 2).
    private static func key(_ name: String, in token: JSONWebToken) -> String? {
        guard let value = token.claim(name)?.string, !value.isEmpty, !Placeholder.isOne(value) else {
            return nil
        }
        return key(value, token.issuer)
    }

    private static func key(_ value: String, _ issuer: String?) -> String { "\(issuer ?? "")\0\(value)" }

    /// By number, each once.
    private static func add(_ flow: FlowBuilder, to list: inout [FlowBuilder]) {
        let place = list.partitionPoint { $0.number >= flow.number }
        if place == list.count || list[place] !== flow { list.insert(flow, at: place) }
    }
}
