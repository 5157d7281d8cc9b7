import Captures
import Flows
import JSON
import OAuth

/// A `state` that came back as it was sent and still is percent-encoded, to an app that refuses it and speaks of it.
///
/// The values are equal, so it is no mismatch between request and answer: the app compares with the value that it had before.
enum TwiceEncodedState {
    /// The state of the login that a callback was refused for; nil of any other.
    static func evidence(of callback: RejectedCallback, in flow: Flow) -> Evidence? {
        let login = flow.logins.first { $0.response?.callback == callback.exchange }
        guard let sent = login?.request.parameters.parameter("state"), callback.response.code != nil,
            sent.value.equalsBytes(of: callback.response.state), !callback.isRedeemed(in: flow),
            let encoded = sequences.first(where: sent.value.asciiLowercased().containsBytes)
        else { return nil }
        let words = PageText.words(of: flow.capture[callback.wording].response?.body)
        guard words.asciiLowercased().containsBytes("state") else { return nil }
        return Evidence(sent, note: "has \(encoded.uppercased()) where it was decoded once")
    }

    /// Of what base64, JSON and addresses have and what is percent-encoded in a query.
    private static let sequences = ["%3d", "%2b", "%2f", "%3a", "%7b", "%22"]

    static let words = Violation.Words(
        title: "The `state` was encoded twice",
        explanation: """
            The provider sent back the state that it was sent. Decoded once, that still is percent-encoded: two parts of the app encoded it one after the other, \
            and the app compares what comes back with the value that it had before.
            """,
        fix: """
            Encode once: hand the plain state to the function that builds the query, and take your own encoding out; or use a state of letters and digits only.
            """
    )
}
