import Captures
import OAuth

/// Devices without a browser of their own, and what their users do in another one.
extension FlowGrouping {
    mutating func join(device call: EndpointCall, _ message: OAuthMessage, _ host: String?) {
        let flow = flowRedirected(to: call) ?? new(grant: GrantType.deviceCode, call.exchange)
        flow.clientID = flow.clientID ?? call.parameters["client_id"]
        add(message, to: flow, host)
        // Programs take one for the other.
        for name in ["user_code", "device_code"] {
            if let code = call.answer.parameters[name] { byDeviceCode[code] = flow }
        }
        devices.noteUnnamed(call, of: flow)
        devices.noteConfirmation(call, of: flow)
    }

    /// The flow of the request that was sent on to this one, with its form or without it; one that was answered is another device's.
    private func flowRedirected(to call: EndpointCall) -> FlowBuilder? {
        guard let source = index.redirectedFrom[call.exchange],
            case .deviceAuthorization = index.messages[source], let flow = byExchange[source],
            !flow.messages.contains(where: Self.isAnsweredDevice)
        else { return nil }
        return flow
    }

    private static func isAnsweredDevice(_ message: OAuthMessage) -> Bool {
        guard case .deviceAuthorization(let call) = message else { return false }
        return call.answer.isSuccess
    }

    mutating func join(
        backchannelAuthentication call: EndpointCall,
        _ message: OAuthMessage,
        _ host: String?
    ) {
        let flow = new(grant: GrantType.ciba, call.exchange)
        flow.clientID = call.authentication.clientID?.value
        add(message, to: flow, host)
        if let request = call.answer.parameters["auth_req_id"] { byDeviceCode[request] = flow }
        devices.noteUnnamed(call, of: flow)
    }

    /// Puts what a provider told a client of its own accord into the flow that asked for it; false for every other exchange.
    mutating func joinNotification(_ exchange: Int) -> Bool {
        guard !byDeviceCode.isEmpty,
            let notification = BackchannelNotification(capture[exchange].request, at: exchange),
            let flow = byDeviceCode[notification.requestID]
        else { return false }
        attach(exchange, to: flow)
        flow.notifications.append(notification)
        flow.notified = notification.outcome ?? flow.notified
        for token in notification.tokens { byToken[token] = flow }
        return true
    }

    /// The flow of the device whose code an exchange brings to the provider, or whose page for that it asks for.
    mutating func confirmed(by exchange: Int) -> FlowBuilder? {
        guard let flow = devices.flow(confirmedBy: capture[exchange].request) else { return nil }
        if !flow.hasTokens {
            flow.isConfirming = true
            for host in flow.providerHosts { open.insert(flow, at: host) }
        }
        return flow
    }

    /// Whether it is the provider's own, by which its page for a device's code has the user sign in (WSO2), and no app's.
    func isStepOfDevice(_ request: AuthorizationRequest) -> Bool {
        guard request.responseType == "device", let source = index.redirectedFrom[request.exchange] else {
            return false
        }
        return byExchange[source]?.grant == GrantType.deviceCode
    }
}
