import Captures
import OAuth

/// Devices whose users have to agree elsewhere (RFC 8628; OpenID Connect CIBA): those whose codes the capture lacks, and what users have to
/// confirm for the others.
///
/// The oldest of many are forgotten.
struct WaitingDevices {
    /// Requests whose codes the capture lacks, in order, until somebody polls with one that nothing else tells of.
    private var unnamed: [FlowBuilder] = []
    /// In order.
    private var confirmations: [(confirmation: DeviceConfirmation, flow: FlowBuilder)] = []

    private static let most = 50
    /// That a device code lasts.
    private static let longestWait = Duration.seconds(1800)

    /// Notes a request whose answer was not saved, and its codes with it.
    mutating func noteUnnamed(_ call: EndpointCall, of flow: FlowBuilder) {
        guard call.answer.isUnsaved else { return }
        unnamed.append(flow)
        if unnamed.count > Self.most { unnamed.removeFirst() }
    }

    /// Notes what the answer to a request has the user do.
    mutating func noteConfirmation(_ call: EndpointCall, of flow: FlowBuilder) {
        guard call.answer.isSuccess, let confirmation = DeviceConfirmation(call.answer) else { return }
        confirmations.append((confirmation, flow))
        if confirmations.count > Self.most { confirmations.removeFirst() }
    }

    /// The flow of a device whose code the capture lacks, and that a poll is likely to be of: the only one of its client's.
    mutating func takeUnnamed(polledBy request: TokenRequest, _ host: String?) -> FlowBuilder? {
        let places = unnamed.indices.filter { place in
            let flow = unnamed[place]
            return flow.grant == request.grantType && flow.clientID == request.clientID
                && host.map(flow.providerHosts.contains) ?? false
                && request.startedAt - flow.startedAt <= Self.longestWait
        }
        return places.count == 1 ? unnamed.remove(at: places[0]) : nil
    }

    /// The flow of the device whose code a request brings to the provider, or whose page for that it asks for.
    func flow(confirmedBy request: RecordedRequest) -> FlowBuilder? {
        guard !confirmations.isEmpty else { return nil }
        let sent = Set(FormBody.items(of: request.body)?.items.map(\.value) ?? [])
        return
            (confirmations.last { $0.confirmation.isBrought(by: request, with: sent) }
            ?? confirmations.last { $0.confirmation.isBegun(by: request) && !$0.flow.hasTokens })?.flow
    }
}
