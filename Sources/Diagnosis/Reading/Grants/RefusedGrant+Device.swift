import Captures
import Flows
import OAuth

/// What a refused device code stands for, where the provider says it in words alone (RFC 8628, section 3.5).
extension RefusedGrant {
    /// Of polls that were answered with `invalid_grant`; nil where the last of them leaves the reason open.
    static func ofDevice(_ refused: [TokenRequest]) -> Violation.Words? {
        if refused.allSatisfy(isCalledExpired) { return expiredDeviceCode }
        guard let text = refused.last?.answer.errorText else { return nil }
        if ["authorization_pending", "slow_down"].contains(where: text.containsBytes) { return misnamed }
        return ["denied", "declined"].contains(where: text.containsBytes) ? declined : nil
    }

    private static let misnamed = Violation.Words(
        title: "The provider calls a device that has to wait refused",
        explanation: """
            The description says that the user has not decided yet, and the error beside it is invalid_grant. A device goes by the error (RFC 8628, section 3.5): \
            with authorization_pending it asks again, with this one it gives up, though nothing is wrong with its code.
            """,
        fix: """
            Have the provider answer with authorization_pending, or slow_down, in the member error. Until it does, let the client read the description of invalid_grant as well, and go on \
            asking at the interval.
            """
    )

    private static let declined = Violation.Words(
        title: "The provider says that the device was denied",
        explanation: """
            The provider says that the request of this device was turned down, and calls it invalid_grant where the specification has access_denied (RFC 8628, section 3.5). Nothing is wrong with \
            the device code.
            """,
        fix: """
            Tell the user that the device was not let in, and begin anew when they want to. Where nobody said no, look at the provider for a policy that did.
            """
    )
}
