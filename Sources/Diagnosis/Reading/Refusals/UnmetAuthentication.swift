import Captures
import OAuth

/// The provider's word that the user did not, or could not, sign in as the login asks (OpenID Connect Core Error Code
/// unmet_authentication_requirements, section 2).
///
/// No ID token came, so there is no `acr` to compare with what was asked for.
enum UnmetAuthentication {
    /// What was asked for; nil of a login that asks for nothing, and of a refusal that names another fault.
    static func evidence(of attempt: LoginAttempt, refused refusal: RequestRefusal) -> Evidence? {
        guard let wish = attempt.request.flatMap({ ACRWish(of: $0) }),
            refusal.error == "unmet_authentication_requirements"
                // A page may repeat what was sent.
                || refusal.channel != .page && refusal.says(texts)
        else { return nil }
        return Evidence(place: wish.parameter.place, value: wish.shown)
    }

    static let words = Violation.Words(
        title: "The provider could not have the user sign in as the login asks",
        explanation: """
            The login asks for an authentication context (acr), and the provider answers that it cannot have the user sign in by it: it knows no such \
            value, or the user has nothing enrolled that is strong enough.
            """,
        fix: """
            Compare the value with acr_values_supported of the metadata, to the letter, and map it at the provider. Where the value is known, have the user \
            enrol what it needs (a passkey, a second factor) before the app asks for it.
            """
    )

    /// In lower case.
    private static let texts = [
        "acr_values", "acr value", "authentication context class", "requested acr",
    ]
}
