import OAuth

/// What is said of a client whose id a provider does not take.
extension ClientIDRefusal {
    /// What is said of refusals that tell more than that the id is not known; nil of any other.
    static func special(_ attempt: LoginAttempt, _ refusal: RequestRefusal) -> Violation.Words? {
        func words(_ title: String, _ explanation: String, _ fix: String) -> Violation.Words {
            Violation.Words(title: title, explanation: explanation, fix: fix)
        }
        if ClientDocument.isRefused(attempt["client_id"], refusal.error, refusal.text) {
            return words(ClientDocument.title, ClientDocument.explanation, ClientDocument.fix)
        }
        if refusal.says([ofOneTenant]) {
            let title = "The app is registered for one tenant, and asks at another address"
            return words(title, tenantOnly, tenantOnlyFix)
        }
        if refusal.says([ofConsumers]) {
            let title = "The app is not registered for personal Microsoft accounts"
            return words(title, notForConsumers, notForConsumersFix)
        }
        guard refusal.says([ofCAS]) else { return nil }
        return words("CAS has no registration that lets this app in", unlisted, unlistedFix)
    }

    // MARK: - Words

    /// At an endpoint that the client itself asks.
    static let unknown = Violation.Words(
        title: "The provider does not know this client",
        explanation: """
            The provider has no client by this client_id at the endpoint that was asked, and says so. Its secret or key was not looked at yet.
            """,
        fix: """
            Compare the client_id, to the letter, with the registration, and see that this is of the tenant, realm or environment that the request went to, and \
            has not been deleted.
            """
    )

    private static let tenantOnly = """
        The app is there, but for the users of its own tenant alone. The login began at the address that is for the users of all tenants, and \
        the provider does not take it from there.
        """
    private static let tenantOnlyFix = """
        Begin the login at the tenant's own address, with its id or domain in place of common or organizations; or have the app registered for \
        the accounts of any organization.
        """

    private static let notForConsumers = """
        The user signs in with a personal Microsoft account, and the app's registration is for accounts of organizations, so Microsoft's server for personal accounts \
        does not know it.
        """
    private static let notForConsumersFix = """
        Have the registration support personal Microsoft accounts (signInAudience AzureADandPersonalMicrosoftAccount). Where those are not wanted, begin the login at \
        the tenant's own address or at organizations in place of common.
        """

    /// CAS has the same page for a client that it does not know, an address that it does not expect, and an app that is shut out.
    private static let unlisted = """
        CAS found no registered service for this request that is enabled and lets the app in. It says so for a client_id that it does not have, and for a \
        redirect URI that the service's pattern does not fit.
        """
    private static let unlistedFix = """
        Look the service up in CAS's registry: clientId the very client_id, serviceId a pattern that the whole redirect URI fits, an evaluationOrder before \
        that of wider patterns, accessStrategy enabled for logins. CAS's log names the address that it looked for.
        """
}
