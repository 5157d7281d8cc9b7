import Captures
import Flows
import OAuth

/// Makes one of the steps of a flow that belong together.
enum StepFolding {
    /// `isOtherProvider`: the flow is compared with one at another product, whose pages come back to the authorization
    /// endpoint as often as they like.
    static func steps(of flow: Flow, leavingOut: Set<Int> = [], isOtherProvider: Bool = false)
        -> [ComparedStep]
    {
        let logins = Set(flow.logins.map(\.request.exchange))
        var messages: [Int: [OAuthMessage]] = [:]
        for message in flow.messages {
            messages[message.exchange, default: []].append(message)
            // A response is told at the callback where that is recorded.
            if case .authorizationResponse(let response) = message, let callback = response.callback,
                callback != message.exchange
            {
                messages[callback, default: []].append(message)
            }
        }
        var steps: [ComparedStep] = []
        for step in flow.steps {
            if isOtherProvider, step.kind == .authorizationRequest, !logins.contains(step.exchange) {
                continue
            }
            var compared = ComparedStep(
                step: step,
                message: messages[step.exchange]?.first { isOf(step.kind, $0) },
                exchange: flow.capture[step.exchange]
            )
            if leavingOut.contains(step.exchange) {
                // What the provider sent to the app is the provider's own.
                guard case .authorizationResponse(let response) = compared.message,
                    let source = response.deliveredBy, !leavingOut.contains(source)
                else { continue }
                compared.isWithoutApp = true
            }
            fold(compared, into: &steps)
        }
        return steps
    }

    private static func isOf(_ kind: StepKind, _ message: OAuthMessage) -> Bool {
        switch message {
        case .discovery: kind == .discovery || kind == .resourceMetadata
        case .keySet: kind == .jwks
        case .registration: kind == .clientRegistration
        case .pushedRequest: kind == .pushedAuthorizationRequest
        case .authorizationRequest: kind == .authorizationRequest
        case .authorizationResponse: kind == .authorizationResponse
        case .identityAssertion: kind == .identityAssertionRequest
        case .token: kind == .tokenRequest || kind == .refreshRequest
        case .userInfo: kind == .userInfoRequest
        case .introspection: kind == .introspectionRequest
        case .revocation: kind == .revocationRequest
        case .endSession: kind == .endSessionRequest
        case .backChannelLogout: kind == .backChannelLogoutRequest
        case .frontChannelLogout: kind == .frontChannelLogoutRequest
        case .deviceAuthorization: kind == .deviceAuthorizationRequest
        case .resource: kind == .resourceRequest
        }
    }

    private static func fold(_ step: ComparedStep, into steps: inout [ComparedStep]) {
        if step.isDocument {
            let place = steps.firstIndex { $0.kind == step.kind && isSamePlace($0, step) }
            guard let place else { return steps.append(step) }
            // Tried until it is there: the answer that was used is the one that counts.
            if steps[place].isFailed, !step.isFailed { steps[place] = step }
            return
        }
        if let last = steps.lastIndex(where: { $0.kind == step.kind && isSamePlace($0, step) }) {
            if let words = provisional(steps[last]), isRepeated(steps[last], step) {
                var step = step
                step.remarks = steps[last].remarks + [words]
                steps.remove(at: last)
                return steps.append(step)
            }
            // How often an app asks its resources is its own affair.
            if step.kind == .resourceRequest, last == steps.count - 1,
                steps[last].exchange.response?.status == step.exchange.response?.status
            {
                return
            }
        }
        steps.append(step)
    }

    private static func isSamePlace(_ left: ComparedStep, _ right: ComparedStep) -> Bool {
        left.exchange.request.method == right.exchange.request.method
            && left.exchange.request.url.withoutQuery == right.exchange.request.url.withoutQuery
    }

    /// An answer that asks for the same request again (RFC 8628, section 3.5; RFC 9449, section 8), or a failure of the
    /// moment that the same request gets over.
    private static func provisional(_ step: ComparedStep) -> String? {
        guard let response = step.exchange.response else { return "no answer at first" }
        if response.status == 429 || response.status >= 500 { return "\(response.status) at first" }
        guard let error = step.answer?.error?.error,
            ["authorization_pending", "slow_down", "use_dpop_nonce"].contains(error)
        else { return nil }
        return error
    }

    private static func isRepeated(_ first: ComparedStep, _ second: ComparedStep) -> Bool {
        ["grant_type", "device_code", "code", "refresh_token"].allSatisfy {
            first.step.parameters[$0] == second.step.parameters[$0]
        }
    }
}
