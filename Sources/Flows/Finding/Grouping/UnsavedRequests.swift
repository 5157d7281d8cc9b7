import Captures
import OAuth

/// Token requests that were saved without their body, tied to what made their client send them: a nonce for its proof, a poll or a device's
/// code before, a token that was refused.
struct UnsavedRequests {
    private let index: CaptureIndex

    init(_ index: CaptureIndex) { self.index = index }

    private var capture: Capture { index.capture }

    /// The flow that such a request goes on with; nil where it may be one of several, or the exchange of a code that is awaited.
    ///
    /// `latest`: the flows that it may be of.
    func flow(goingOnWith request: TokenRequest, at host: String?, among latest: ArraySlice<FlowBuilder>)
        -> FlowBuilder?
    {
        guard request.parameters.isEmpty, let host else { return nil }
        let flows = latest.filter {
            $0.providerHosts.contains(host) && $0.mayBe(ofClient: request.clientID)
        }
        if let flow = flows.last(where: { isRetried(in: $0, by: request) }) { return flow }
        if !isPoll(request), flows.contains(where: \.awaitsToken) { return nil }
        let candidates = flows.filter { isLed(from: $0, to: request) }
        return candidates.count == 1 ? candidates.first : pollsOfOne(of: candidates)
    }

    /// The polls before a request that may be of one of several devices: those that nobody knows the device of are together.
    private func pollsOfOne(of candidates: [FlowBuilder]) -> FlowBuilder? {
        let unknown = candidates.filter { flow in
            flow.messages.allSatisfy { if case .token = $0 { true } else { false } }
        }
        let areDevices = candidates.allSatisfy { flow in
            flow.grant == GrantType.deviceCode || unknown.contains { $0 === flow }
        }
        return areDevices && unknown.count == 1 ? unknown.first : nil
    }

    /// The same request with the nonce that the provider asked for (RFC 9449, section 8), whose answer may tell whose both are.
    func retry(of request: TokenRequest) -> TokenRequest? {
        guard request.parameters.isEmpty, request.answer.error?.error == "use_dpop_nonce" else { return nil }
        let behind = index.order[(index.position[request.exchange] + 1)...].prefix(Self.mostBetween)
        return behind.lazy.compactMap { exchange -> TokenRequest? in
            guard case .token(let later) = index.messages[exchange], later.parameters.isEmpty,
                isRetry(later, of: request)
            else { return nil }
            return later
        }.first
    }

    private static let mostBetween = 50

    private func isPoll(_ request: TokenRequest) -> Bool {
        request.answer.error.map { Self.waiting.contains($0.error) } ?? false
    }

    private static let waiting: Set<String> = ["authorization_pending", "slow_down"]

    /// Whether the last call of a flow had the client send this request.
    private func isLed(from flow: FlowBuilder, to request: TokenRequest) -> Bool {
        for message in flow.messages.reversed() {
            switch message {
            case .token(let earlier):
                guard earlier.parameters.isEmpty, earlier.endpoint.text == request.endpoint.text else {
                    return false
                }
                let isOpen = isPoll(earlier) || (earlier.answer.status ?? 0) >= 500
                return isOpen && isSoon(request, behind: earlier.exchange, .seconds(120))
            case .deviceAuthorization(let call):
                return call.answer.isSuccess && isSoon(request, behind: call.exchange, .seconds(600))
            case .userInfo(let call), .resource(let call):
                return flow.hasTokens && call.answer.status == 401
                    && isSoon(request, behind: call.exchange, .seconds(30))
            default: continue
            }
        }
        return false
    }

    private func isRetried(in flow: FlowBuilder, by request: TokenRequest) -> Bool {
        guard case .token(let earlier) = flow.messages.last else { return false }
        return earlier.parameters.isEmpty && isRetry(request, of: earlier)
    }

    /// Whether a request brings the nonce with which another one of the same program was answered.
    private func isRetry(_ request: TokenRequest, of earlier: TokenRequest) -> Bool {
        guard earlier.answer.error?.error == "use_dpop_nonce",
            let nonce = capture[earlier.exchange].response?.headers.first("dpop-nonce"),
            request.endpoint.text == earlier.endpoint.text,
            isSoon(request, behind: earlier.exchange, .seconds(30))
        else { return false }
        return DPoPProof(of: capture[request.exchange].request, exchange: request.exchange)?.nonce == nonce
    }

    /// Whether the same program sent both, the later one no longer behind the other than this.
    private func isSoon(_ request: TokenRequest, behind exchange: Int, _ time: Duration) -> Bool {
        let earlier = capture[exchange]
        let sender = capture[request.exchange].request.userAgent
        return earlier.request.userAgent == sender
            && request.startedAt >= earlier.startedAt && request.startedAt - earlier.startedAt <= time
    }
}
