import Captures
import Flows

/// What a provider answers while its user signs in: a page for the user, or data for the script of one.
enum SignInAnswer {
    /// Whether the user sees a page that the sign-in goes on from.
    static func isPage(_ index: Int, _ flow: Flow) -> Bool {
        guard let response = flow.capture[index].response, response.body?.isPage ?? false,
            response.location == nil
        else { return false }
        if response.isSuccessful { return true }
        // The form comes again with its message: Rails answers 422, others 400 or 401. Keycloak shows it with its question for a ticket.
        let mayHaveForm =
            flow.isCredentialPost(index) && isUsers(response.status) && response.status >= 400
            || BrowserChallenge.isAnswer(to: flow.capture[index])
        return mayHaveForm && response.body?.bytes.map(HTMLForm.isAsking) ?? false
    }

    /// Whether a page's script reads it.
    static func isData(_ index: Int, _ flow: Flow) -> Bool {
        guard let response = flow.capture[index].response else { return false }
        return response.location == nil && !(response.body?.isPage ?? false)
            && !SignInEnd.isRefusedNavigation(index, flow)
    }

    /// Whether a status is one by which what the user entered may be refused; others are of the provider itself.
    static func isUsers(_ status: Int) -> Bool { status < 500 && status != 429 }
}
