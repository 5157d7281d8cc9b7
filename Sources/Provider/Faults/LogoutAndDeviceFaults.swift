import Captures
import OAuth

/// Ends of sessions and of devices (OpenID Connect RP-Initiated Logout, section 3; RFC 8628, section 3.5).
enum LogoutAndDeviceFaults {
    static let list: [Fault] = [
        Fault(
            "logout-redirect-not-registered",
            "The logout does not know the address to go back to.",
            of: [.endSession],
            .answer { answer, context in
                guard context.role == .endSession else { return }
                answer.becomePage(400, "post_logout_redirect_uri is not registered for this client")
            }
        ),
        Fault(
            "device-code-expired",
            "Every device code has run out.",
            of: [.deviceTokens],
            .answer { answer, context in
                guard context.role == .token, context.grantType == GrantType.deviceCode else { return }
                answer.fail(400, "expired_token", "the device code has expired")
            }
        ),
    ]
}
