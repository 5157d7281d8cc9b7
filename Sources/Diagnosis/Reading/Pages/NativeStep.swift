import Captures
import Flows
import JSON
import OAuth

/// A step at which the API of WSO2 or Curity waits for what the user enters, in a sign-in that an app makes itself: what the page with
/// its form is to a browser.
struct NativeStep {
    /// What the answer says of what was entered before; nil where it says nothing.
    var told: Evidence?

    /// Nil for any other exchange, and for an answer that ends the sign-in.
    init?(at index: Int, in flow: Flow) {
        let exchange = flow.capture[index]
        guard let response = exchange.response,
            let json = JSONBody.object(of: response.body, below: Self.largest)
        else { return nil }
        if response.status == 200, NativeSignIn.isWSO2(exchange.request.url) {
            guard let status = json["flowStatus"]?.string, Self.waiting.contains(status) else { return nil }
            told = Self.ofWSO2(json, at: index)
        } else if response.status == 200, response.body?.essence == "application/vnd.auth+json" {
            guard let type = json["type"]?.string, type.hasSuffix("-step") else { return nil }
        } else if response.isClientError, let problem = NativeSignIn.problem(json) {
            guard Self.problems.contains(problem) else { return nil }
            told = Evidence(
                place: Place(exchange: index, part: .responseBody, name: "type"),
                value: Masking.shown(
                    [problem, json["title"]?.string].compactMap(\.self).joined(separator: ": "),
                    of: "body"
                ),
                note: Self.note
            )
        } else {
            return nil
        }
    }

    /// The message of an answer that asks again.
    private static func ofWSO2(_ json: JSONObject, at index: Int) -> Evidence? {
        let messages = json["nextStep"]?["messages"]?.array ?? []
        let words = messages.lazy.filter { $0["type"]?.string == "ERROR" }.compactMap {
            $0["message"]?.string
        }.first
        guard json["flowStatus"]?.string == failed || words != nil else { return nil }
        return Evidence(
            place: Place(exchange: index, part: .responseBody, name: words == nil ? "flowStatus" : "message"),
            value: Masking.shown(words ?? failed, of: "body"),
            note: note
        )
    }

    private static let note = "what the app is told of what was entered"
    private static let failed = "FAIL_INCOMPLETE"
    private static let waiting: Set<String> = ["INCOMPLETE", failed]
    /// Those of Curity after which the same step can be sent again.
    private static let problems: Set<String> = ["incorrect-credentials", "invalid-input"]

    /// In bytes.
    private static let largest = 1 << 20

    // MARK: - Words

    static let title = "The sign-in that the app makes itself was begun and never completed"
    static let explanation = """
        The app signs its user in step by step at the provider's API, without a browser. The last thing the capture shows of it is a step that was not \
        followed. No code came of it, and no error was reported.
        """
    static let fix = """
        Nothing in the traffic is wrong. If it was not meant to end here, see whether the app shows this kind of step to its user and sends the answer, and \
        record on until it has its tokens.
        """
}
