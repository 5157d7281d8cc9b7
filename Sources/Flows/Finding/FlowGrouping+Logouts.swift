import Captures
import JOSE
import OAuth

/// Logouts: those that the client asks for, and those that it is told of.
extension FlowGrouping {
    mutating func join(logout call: EndpointCall, _ message: OAuthMessage, _ host: String?) {
        let hint = call.parameters["id_token_hint"]
        let token = hint.flatMap { JSONWebToken.parse($0) }
        // A browser that signed in itself may send the wrong one.
        let agent = capture[call.exchange].request.headers.first("user-agent")
        let mayBe = { [capture] (flow: FlowBuilder) in
            token.map { !flow.isOfAnotherUser($0) } ?? true
                || flow.requests.contains {
                    capture[$0.exchange].request.headers.first("user-agent") == agent
                }
        }
        let flow =
            hint.flatMap { byToken[$0] } ?? hint.flatMap { hinted($0) }
            ?? flow(ofClient: call.parameters["client_id"], host).flatMap { mayBe($0) ? $0 : nil }
            ?? builders.last { flow in
                host.map { flow.providerHosts.contains($0) } ?? false && !flow.requests.isEmpty && mayBe(flow)
            }
            ?? new(grant: "logout", call.exchange)
        add(message, to: flow, host)
        logoutPages.insert(call.exchange, of: flow, in: index)
        if let source = index.redirectedFrom[call.exchange], byExchange[source] == nil {
            attach(source, to: flow)
        }
    }

    /// An ID token of a refresh that is not in the capture still names its subject's login.
    private func hinted(_ hint: String) -> FlowBuilder? {
        guard let token = JSONWebToken.parse(hint) else { return nil }
        return builders.last { flow in
            flow.clientID.map { token.audience.contains($0) } ?? false && !flow.isOfAnotherUser(token)
        }
    }

    mutating func join(logoutToken delivery: LogoutTokenDelivery, _ message: OAuthMessage, _ host: String?) {
        let audience = delivery.token?.audience ?? []
        let flow =
            builders.last { flow in flow.clientID.map(audience.contains) ?? false }
            ?? lastFlow(ofAppAt: host)
            ?? new(grant: "logout", delivery.exchange)
        add(message, to: flow, nil)
    }

    mutating func join(frontChannelLogout call: EndpointCall, _ message: OAuthMessage, _ host: String?) {
        let flow =
            builders.last { flow in flow.hasSession(call.parameters["sid"]) }
            ?? lastFlow(ofAppAt: host)
            ?? new(grant: "logout", call.exchange)
        add(message, to: flow, nil)
    }

    /// The last flow whose browser was sent back to a host.
    private func lastFlow(ofAppAt host: String?) -> FlowBuilder? {
        builders.last { flow in host.map(flow.clientHosts.contains) ?? false }
    }
}
