package import Captures

/// What a provider's page hands to the app's window by script instead of redirecting (`response_mode` `web_message` and
/// Okta's `okta_post_message`).
package enum PostedMessage {
    /// Values of `response_mode` that ask for it.
    package static let modes: Set<String> = ["web_message", "okta_post_message"]

    /// Why a silent request came to nothing (OpenID Connect Core, section 3.1.2.6).
    package static let silentErrors = [
        "login_required", "interaction_required", "consent_required", "account_selection_required",
    ]

    /// The error of a silent request that a page posts; nil where it posts none.
    package static func silentError(on page: Exchange) -> String? {
        guard let body = page.response?.body, (body.size ?? 0) < 1 << 18, let text = body.text else {
            return nil
        }
        return silentErrors.first { text.containsBytes("\"\($0)\"") || text.containsBytes("'\($0)'") }
    }
}
