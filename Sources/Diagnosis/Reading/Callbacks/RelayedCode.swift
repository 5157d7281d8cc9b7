import Captures
import Flows
import OAuth

/// A code that the server at the redirect URI sent on to an app by a scheme of the app's own, where nobody used it.
struct RelayedCode {
    /// Where it was sent on to.
    var evidence: Evidence

    /// Nil where it was not sent on so.
    init?(of delivery: CodeDelivery, in flow: Flow) {
        guard RelayedAnswer.target(of: delivery.response, in: flow.capture) != nil,
            let callback = delivery.response.callback,
            var location = flow.locationEvidence(of: callback)
        else { return nil }
        location.note = "another address than the redirect URI that the app asked with"
        evidence = location
    }

    static let words = Violation.Words(
        explanation: """
            The provider sent the user back to the https address that the app had asked with, the server there sent the browser on to an address of the app's own scheme, and no later request \
            carries the code. Libraries wait for the very redirect URI that they asked with, and leave any other address alone (AppAuth compares scheme, host and path, and drops what differs \
            without an error).
            """,
        fix: """
            Let the app get the address that it asked with: a redirect URI of its own scheme, registered at the provider, or the https address claimed by it (associated domains on iOS, App Links \
            on Android). Where the server has to stay in between, open the browser session for the scheme that comes (callbackURLScheme), and hand the library its own redirect URI with the query \
            that came.
            """
    )
}
