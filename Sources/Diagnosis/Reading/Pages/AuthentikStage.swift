import Captures
import Flows
import JSON
import OAuth

/// What authentik's own page is told when a script asks for the next step of its sign-in: the name of a stage.
enum AuthentikStage {
    /// What is said at the stage at which somebody is kept out; nil of any other answer.
    ///
    /// The page itself is made by the script, so that nothing of it is in the answer that brought it.
    static func denial(on exchange: Int, in flow: Flow) -> Evidence? {
        let recorded = flow.capture[exchange]
        guard recorded.request.url.path.containsBytes("/flows/executor/"), recorded.response?.status == 200,
            let challenge = Answer(of: recorded, at: exchange).json,
            challenge["component"]?.string == "ak-stage-access-denied"
        else { return nil }
        guard let words = challenge["error_message"]?.string, !words.isEmpty else {
            return Evidence(
                place: Place(exchange: exchange, part: .responseBody, name: "component"),
                value: "ak-stage-access-denied",
                note: "the stage of a sign-in that ends there"
            )
        }
        // Whose password was wrong too often was not kept out by a rule.
        guard !words.asciiLowercased().containsBytes("invalid password") else { return nil }
        return Evidence(
            place: Place(exchange: exchange, part: .responseBody, name: "error_message"),
            value: Masking.shown(words, of: "body"),
            note: "of the stage ak-stage-access-denied, at which the sign-in ends"
        )
    }
}
