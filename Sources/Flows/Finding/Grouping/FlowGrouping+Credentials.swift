import Captures
import OAuth

/// Logins without redirects: an ID token that the browser or the system handed to the app.
extension FlowGrouping {
    /// The browser asks the provider in the app's name: with it goes what it asked before to find out whom to ask (FedCM).
    mutating func join(assertion call: EndpointCall, _ host: String?) {
        let flow = refused(as: call) ?? new(grant: Self.credential, call.exchange)
        flow.clientID = flow.clientID ?? CredentialResponse.clientID(in: call.parameters)
        add(.identityAssertion(call), to: flow, host)
        let time = capture[call.exchange].startedAt
        for earlier in index.withoutAssets(before: call.exchange).suffix(200).reversed() {
            let exchange = capture[earlier]
            guard time - exchange.startedAt <= .seconds(120) else { break }
            guard exchange.request.headers.first("sec-fetch-dest") == "webidentity",
                byExchange[earlier] == nil, index.messages[earlier] == nil
            else { continue }
            attach(earlier, to: flow)
            if let host = exchange.request.url.host { know(host, of: flow) }
        }
    }

    /// The flow of an earlier page whose origin the provider did not know for the client either.
    private func refused(as call: EndpointCall) -> FlowBuilder? {
        guard call.isStatusRefused else { return nil }
        return builders.last { flow in
            flow.grant == Self.credential && flow.clientID == CredentialResponse.clientID(in: call.parameters)
                && flow.messages.contains {
                    if case .identityAssertion(let earlier) = $0 { earlier.isStatusRefused } else { false }
                }
        }
    }

    /// A token that the app sends on once more goes with the flow that had it first.
    mutating func join(credential response: AuthorizationResponse) {
        let token = response.parameters["id_token"]
        let flow =
            response.deliveredBy.flatMap { byExchange[$0] } ?? token.flatMap { byToken[$0] }
            ?? new(grant: Self.credential, response.exchange)
        flow.clientID = flow.clientID ?? CredentialResponse.clientID(in: response.parameters)
        if response.callback != nil, let host = response.target.host { flow.clientHosts.insert(host) }
        flow.responses.append(response)
        flow.messages.append(.authorizationResponse(response))
        for exchange in [response.deliveredBy, response.callback].compactMap(\.self) {
            attach(exchange, to: flow)
        }
        if let token { byToken[token] = byToken[token] ?? flow }
        if let code = response.code { byCode[code] = byCode[code] ?? flow }
    }

    static let credential = "credential"
}
