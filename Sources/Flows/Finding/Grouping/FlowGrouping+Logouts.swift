import Captures
import JOSE
import OAuth

/// Logouts: those that the client asks for, and those that it is told of.
extension FlowGrouping {
    mutating func join(logout call: EndpointCall, _ message: OAuthMessage, _ host: String?) {
        let hint = call.parameters["id_token_hint"]
        let token = hint.flatMap { JSONWebToken.parse($0) }
        // A browser that signed in itself may send the wrong one.
        let agent = capture[call.exchange].request.userAgent
        let mayBe = { [capture] (flow: FlowBuilder) in
            token.map { !flow.isOfAnotherUser($0) } ?? true
                || flow.requests.contains {
                    capture[$0.exchange].request.userAgent == agent
                }
        }
        let flow =
            hint.flatMap { byToken[$0] } ?? hint.flatMap { hinted($0) }
            ?? flow(ofBrowserIn: call).flatMap { mayBe($0) ? $0 : nil }
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

    /// The login whose cookies the browser has, at the provider or at the app that sends it there.
    private func flow(ofBrowserIn call: EndpointCall) -> FlowBuilder? {
        let exchanges = [call.exchange, index.redirectedFrom[call.exchange]].compactMap(\.self)
        let client = call.parameters["client_id"]
        return sessionCookies.flow(of: exchanges.map { capture[$0].request }) { flow in
            client == nil || flow.clientID == client
        }
    }

    /// An ID token of a refresh that is not in the capture still names its session and its user.
    private func hinted(_ hint: String) -> FlowBuilder? {
        guard let token = JSONWebToken.parse(hint) else { return nil }
        let audience = Set(token.audience)
        return lastFlow(ofUserIn: token, audience)
            ?? builders.last { flow in
                flow.clientID.map(audience.contains) ?? false && !flow.isOfAnotherUser(token)
            }
    }

    mutating func join(logoutToken delivery: LogoutTokenDelivery, _ message: OAuthMessage, _ host: String?) {
        let audience = Set(delivery.token?.audience ?? [])
        let flow =
            delivery.token.flatMap { lastFlow(ofUserIn: $0, audience) }
            ?? builders.last { flow in flow.clientID.map(audience.contains) ?? false }
            ?? lastFlow(ofAppAt: host)
            ?? new(grant: "logout", delivery.exchange)
        add(message, to: flow, nil)
    }

    /// The last flow of the session, or else of the user, that a token for one of these clients is about.
    private func lastFlow(ofUserIn token: JSONWebToken, _ clients: Set<String>) -> FlowBuilder? {
        byUser.last(of: token) { flow in flow.clientID.map(clients.contains) ?? false }
    }

    mutating func join(frontChannelLogout call: EndpointCall, _ message: OAuthMessage, _ host: String?) {
        let signedIn = byUser.flows(inSession: call.parameters["sid"], of: call.parameters["iss"])
        // All apps of a session are told of its end, each at an address of its own.
        let flow =
            signedIn.last { flow in host.map(flow.clientHosts.contains) ?? false }
            ?? signedIn.last
            ?? lastFlow(ofAppAt: host)
            ?? new(grant: "logout", call.exchange)
        add(message, to: flow, nil)
    }

    /// The last flow whose browser was sent back to a host.
    private func lastFlow(ofAppAt host: String?) -> FlowBuilder? {
        builders.last { flow in host.map(flow.clientHosts.contains) ?? false }
    }
}
