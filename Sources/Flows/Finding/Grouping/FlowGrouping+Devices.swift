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
        noteUnnamed(flow, call)
        guard call.answer.isSuccess, let confirmation = DeviceConfirmation(call.answer) else { return }
        confirmations.append((confirmation, flow))
        if confirmations.count > Self.mostConfirmations { confirmations.removeFirst() }
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
        noteUnnamed(flow, call)
    }

    private mutating func noteUnnamed(_ flow: FlowBuilder, _ call: EndpointCall) {
        guard call.answer.isUnsaved else { return }
        unnamedDevices.append(flow)
        if unnamedDevices.count > Self.mostConfirmations { unnamedDevices.removeFirst() }
    }

    /// The flow of a device whose code the capture lacks, and that a poll is likely to be of: the only one of its client's.
    mutating func unnamedDevice(polledBy request: TokenRequest, _ host: String?) -> FlowBuilder? {
        let places = unnamedDevices.indices.filter { place in
            let flow = unnamedDevices[place]
            return flow.grant == request.grantType && flow.clientID == request.clientID
                && host.map(flow.providerHosts.contains) ?? false
                && request.startedAt - flow.startedAt <= Self.longestWait
        }
        return places.count == 1 ? unnamedDevices.remove(at: places[0]) : nil
    }

    /// That a device code lasts.
    private static let longestWait = Duration.seconds(1800)

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
        guard !confirmations.isEmpty else { return nil }
        let request = capture[exchange].request
        let sent = Set(FormBody.items(of: request.body)?.items.map(\.value) ?? [])
        guard
            let flow =
                (confirmations.last { $0.0.isBrought(by: request, with: sent) }
                ?? confirmations.last { $0.0.isBegun(by: request) && !$0.1.hasTokens })?.1
        else { return nil }
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

    private static let mostConfirmations = 50
}
