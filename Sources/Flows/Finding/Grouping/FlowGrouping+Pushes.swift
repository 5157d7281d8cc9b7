import Captures
import OAuth

/// Pushed authorization requests (RFC 9126): with the login whose browser brings their `request_uri`, with the token request that
/// they were made for where only the server's half was recorded, and those that came to nothing.
extension FlowGrouping {
    /// A pushed request goes with a flow, and what was refused of it before.
    mutating func join(pushed call: EndpointCall, to flow: FlowBuilder) {
        for call in pushed.take(call) { add(pushed: call, to: flow) }
    }

    /// Those that no browser was seen to bring, with the code that was exchanged for them.
    mutating func redeemedPushes() {
        let exchanges: [(flow: FlowBuilder, request: TokenRequest)] = builders.compactMap { flow in
            guard flow.requests.isEmpty else { return nil }
            return flow.messages.lazy.compactMap { message -> TokenRequest? in
                if case .token(let request) = message, request.isCodeExchange { request } else { nil }
            }.first.map { (flow, $0) }
        }
        for (flow, calls) in pushed.takeRedeemed(by: exchanges) {
            for call in calls { add(pushed: call, to: flow) }
        }
    }

    /// Refused, or never brought to the provider: each a flow of its own.
    mutating func pushesThatCameToNothing() {
        var flows: [Int: FlowBuilder] = [:]
        for (call, number) in pushed.leftOver {
            let flow = flows[number] ?? new(grant: "authorization_code", call.exchange)
            flows[number] = flow
            flow.clientID = call.authentication.clientID?.value
            if let uri = call.parameters["redirect_uri"].map({ RecordedURL($0) }), let host = uri.host,
                uri.isWeb
            {
                flow.clientHosts.insert(host)
            }
            add(pushed: call, to: flow)
        }
    }

    private mutating func add(pushed call: EndpointCall, to flow: FlowBuilder) {
        add(.pushedRequest(call), to: flow, capture[call.exchange].request.url.host)
    }
}
