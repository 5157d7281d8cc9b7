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
        var folded = FoldedSteps()
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
            folded.add(compared)
        }
        return folded.steps
    }

    private static func isOf(_ kind: StepKind, _ message: OAuthMessage) -> Bool {
        switch message {
        case .discovery: kind == .discovery || kind == .resourceMetadata
        case .keySet: kind == .jwks
        case .registration: kind == .clientRegistration
        case .clientConfiguration: kind == StepKind(of: message)
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
        case .backchannelAuthentication: kind == .backchannelAuthenticationRequest
        case .resource: kind == .resourceRequest
        }
    }

    /// Steps that are folded one behind the other, the last one at each place at hand: a day with an app's API has tens of
    /// thousands.
    private struct FoldedSteps {
        /// What is asked where.
        private struct Call: Hashable {
            var kind: StepKind
            var method: String
            var address: String

            init(_ step: ComparedStep) {
                kind = step.kind
                method = step.exchange.request.method
                address = step.exchange.request.url.withoutQuery
            }
        }

        /// Nil where a later step stands for it.
        private var all: [ComparedStep?] = []
        private var lasts: [Call: Int] = [:]

        var steps: [ComparedStep] { all.compactMap(\.self) }

        mutating func add(_ step: ComparedStep) {
            let call = Call(step)
            guard let place = lasts[call], let last = all[place] else { return append(step, as: call) }
            if step.isDocument {
                // Tried until it is there: the answer that was used is the one that counts.
                if last.isFailed, !step.isFailed { all[place] = step }
                return
            }
            if let words = StepFolding.provisional(last), StepFolding.isRepeated(last, step) {
                var step = step
                step.remarks = last.remarks + [words]
                all[place] = nil
                return append(step, as: call)
            }
            // How often an app asks its resources is its own affair.
            if step.kind == .resourceRequest, place == all.count - 1,
                last.exchange.response?.status == step.exchange.response?.status
            {
                return
            }
            append(step, as: call)
        }

        private mutating func append(_ step: ComparedStep, as call: Call) {
            lasts[call] = all.count
            all.append(step)
        }
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
        ["grant_type", "device_code", "auth_req_id", "code", "refresh_token"].allSatisfy {
            first.step.parameters[$0] == second.step.parameters[$0]
        }
    }
}
