import Captures
import Flows
import OAuth

/// Whose no an `access_denied` is: the user's, or that of somebody who set up the provider.
///
/// The name alone says neither (RFC 6749, section 4.1.2.1: "the resource owner or authorization server denied the
/// request"), so the text decides, and whether anybody was asked at all.
enum UserRefusal {
    /// The words by which an error names a rule of the provider's; nil where it may be the user's own.
    static func policyWords(in error: ErrorResponse) -> String? {
        if let words = AccessPolicy.words(in: error) { return words }
        // The other is Auth0's name.
        guard ["access_denied", "unauthorized"].contains(error.error),
            let text = error.description?.lowercased()
        else { return nil }
        // Who declines the terms of a policy has said no.
        guard !users.contains(where: text.containsBytes) else { return nil }
        return policies.first(where: text.containsBytes)
    }

    /// Whether an error that went to the app is the user's own no.
    ///
    /// Answered at once means that redirects alone lie between request and answer. Then nobody was shown anything to
    /// refuse, and a text has to say of itself that it was the user.
    static func isOne(_ error: ErrorResponse, isAnsweredAtOnce: Bool) -> Bool {
        guard AccessPolicy.isCancellation(error), policyWords(in: error) == nil else { return false }
        guard error.error == "access_denied", let text = error.description?.lowercased(), !text.isEmpty
        else { return true }
        if !users.contains(where: text.containsBytes), faults.contains(where: text.containsBytes) {
            return false
        }
        guard isAnsweredAtOnce else { return true }
        return (users + plain).contains(where: text.containsBytes)
    }

    /// Whether an error is what an action of an Auth0 tenant denies the sign-in with: its author writes the text, and of the user's
    /// own no Auth0 says that the user did not authorize the request.
    static func isOfAnAction(_ error: ErrorResponse, _ provider: ProviderKind) -> Bool {
        guard provider == .auth0, error.error == "access_denied", let text = error.description?.lowercased(),
            !text.isEmpty
        else { return false }
        return !(users + plain + faults).contains(where: text.containsBytes)
    }

    // MARK: - Words, in lower case

    private static let policies = [
        "policy evaluation", "by policy", "access policy", "access policies", "sign-on policy",
        "sign-on policies",
        "policy requirements", "policy configuration", "not have access", "has no access", "not assigned",
        "not been assigned", "not allowed to", "not permitted to", "not authorized to",
        "not been granted access",
        "not a member of", "not part of", "not in the allowed", "not in the list", "not in the required",
        "not in the group", "not in any", "not in an allowed", "not entitled",
        "not granted to",
        "not allowed", "denied by rule", "unauthorized user", "user is unauthorized", "only internal",
        "not available for", "not comply", "not meet", "allow list", "allowlist", "whitelist",
        "required role", "required group", "missing role", "lacks the", "license", "licence",
        "pending approval", "awaiting approval", "not approved", "not been approved", "account is inactive",
        "account inactive", "user is inactive", "user inactive",
        "minimum age",
        "signups are disabled", "registration is closed", "email not verified",
        "is blocked", "been blocked", "is disabled", "been disabled", "is suspended",
        "been suspended", "is locked", "been locked",
        // The same of an account in German, French, Spanish and Italian.
        "gesperrt", "deaktiviert", "verrouill", "d\u{e9}sactiv\u{e9}", "bloquead", "deshabilitad", "bloccato",
        "disabilitato",
        // Of a right that is missing.
        "keine berechtigung", "nicht berechtigt", "pas acc\u{e8}s", "no tiene acceso", "no tiene permiso",
        "non ha accesso",
        "mfa required", "mfa is required", "factor authentication required",
        "factor authentication is required",
        // What a rule of the tenant's asks of somebody first.
        "please verify", "verify your", "is not verified", "not been verified", "not yet verified",
        "before logging in", "before signing in", "before you can",
        "contact your",
        "contact the ", "contact support", "by the administrator",
    ]

    /// Of somebody who did not want to.
    private static let users = [
        "cancel", "declin", "abort", "user denied", "user has denied", "owner denied", "user rejected",
        "user refused", "user chose", "owner said no", "did not allow", "has not allowed",
        "allowed by the user", "allowed by user", "approved by the user", "granted by the user",
        "by the resource owner",
        // The terms, or a licence.
        "did not accept", "has not accepted",
        "user has not approved", "user did not approve", "did not authorize",
        "did not consent", "not give consent", "not consent",
        "consent not", "consent was not",
        "consent denied", "consent was denied", "denied the consent", "denied consent",
        // Facebook's words for it, which brokers hand on.
        "permissions error",
    ]

    /// Of what broke, which nobody wanted.
    private static let faults = [
        "failed", "failure", "expired", "timed out", "timeout", "time out", "invalid",
        "exception", "not found", "not exist", "not enabled", "not configured", "not supported",
        "too many", "no matching", "could not find", "risk assessment",
        // Hydra, of a link that was followed twice.
        "already been used",
    ]

    /// What may be said of both.
    private static let plain = ["denied", "refused", "reject", "consent", "aadb2c90118"]
}

extension Flow {
    /// Whether redirects alone lead from the request to this answer, or to the page whose form posts it.
    func isAnsweredAtOnce(_ request: AuthorizationRequest, by response: AuthorizationResponse) -> Bool {
        if response.mode == .formPost, let page = response.deliveredBy {
            // A page that asks may have what its "cancel" posts ready in another form.
            return surroundings.page(page)?.forms.count == 1
                && surroundings.redirects(from: request.exchange, leadTo: page)
        }
        return surroundings.redirects(from: request.exchange, leadTo: response.exchange)
            && capture[request.exchange].response?.location != nil
    }
}
