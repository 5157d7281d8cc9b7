import Captures
import Flows
import OAuth

/// A code that the server at the redirect URI sent on to an app by a scheme of the app's own, where nobody used it.
struct RelayedCode {
    /// Where it was sent on to, or what was left out on the way.
    let evidence: [Evidence]
    let words: Violation.Words

    /// Nil where it was not sent on so.
    init?(of delivery: CodeDelivery, in flow: Flow) {
        let response = delivery.response
        guard let target = RelayedAnswer.target(of: response, in: flow.capture),
            let callback = response.callback,
            var location = flow.locationEvidence(of: callback)
        else { return nil }
        if let sent = response.parameters.parameter("state"), !sent.value.isEmpty,
            (target.queryItems.first("state") ?? "").isEmpty
        {
            let missing = Evidence(
                place: Place(exchange: callback, part: .responseLocation, name: "state"),
                value: "missing",
                note: "the code was sent on to the app without it"
            )
            evidence = [Evidence(sent), missing]
            words = Self.withoutState
        } else {
            location.note = "another address than the redirect URI that the app asked with"
            evidence = [location]
            words = Self.toOtherAddress
        }
    }

    private static let withoutState = Violation.Words(
        title: "The app's server sent the code on without `state`",
        explanation: """
            The provider returned the state to the redirect URI, and the server there sent the browser on to the app with the code alone. The library in the app made the \
            state and looks for it in what comes back: it refuses the answer (AppAuth: a state of null), and the code is never exchanged.
            """,
        fix: """
            Have the server append the whole query that it was called with to the app's address, code, state, iss and errors alike; or register the app's own redirect URI at \
            the provider, so that nothing has to be sent on.
            """
    )

    private static let toOtherAddress = Violation.Words(
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
