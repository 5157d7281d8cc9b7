import Captures
import Flows
import JOSE
import OAuth

/// Whether the capture shows something wrong with how a client proved itself in a call that was refused.
///
/// Who the client is, is looked at before what it brings (RFC 6749, section 3.2.1).
enum ClientFault {
    /// A wrong secret is one whatever came after it; all else was none where the same call was made once more with success.
    static func isShown(by call: ClientCall, in flow: Flow) -> Bool {
        if isOfSecret(call, flow) { return true }
        guard !call.isRepaired else { return false }
        return isMisread(call, flow) || isWithoutCredentials(call, flow)
            || call.isClientRefused && UnlistedMethod(of: call, in: flow) != nil
            || call.mayBlameClient && isOfAssertion(call, in: flow)
    }

    /// Whether something is wrong with the assertion of a call, other than that it has no identifier.
    static func isOfAssertion(_ call: ClientCall, in flow: Flow) -> Bool {
        guard let assertion = call.assertion else { return false }
        if AssertionAlgorithm(of: call, in: flow)?.isWrong ?? false { return true }
        guard assertion.token.claims != nil else { return false }
        let isRefused = FederatedAssertion(of: call).map { $0.refusedClaim != nil }
        return isRefused ?? (AssertionAudience(of: assertion, by: call, in: flow).fit == .wrong)
            || AssertionSubject(otherThanOf: call, in: flow) != nil
            || !AssertionTimes(of: assertion, by: call, in: flow).faults.isEmpty
    }

    private static func isOfSecret(_ call: ClientCall, _ flow: Flow) -> Bool {
        guard let secret = call.authentication.secret, !Placeholder.isTakenOut(secret.value) else {
            return false
        }
        return switch WrongSecret(of: call, in: flow) {
        case .other(let right, _): !Placeholder.isTakenOut(right.value)
        case .said: true
        case .unknown, nil: false
        }
    }

    private static func isMisread(_ call: ClientCall, _ flow: Flow) -> Bool {
        (call.isClientRefused || MisreadCredentials.isTold(by: call))
            && MisreadCredentials(of: call, in: flow) != nil
    }

    private static func isWithoutCredentials(_ call: ClientCall, _ flow: Flow) -> Bool {
        if AssertionOnly.applies(to: call, flow.providerFacts, flow) { return true }
        return switch MissingCredentials(of: call, in: flow) {
        case .lost, .unnamed, .absent: true
        case .unseen, nil: false
        }
    }
}
