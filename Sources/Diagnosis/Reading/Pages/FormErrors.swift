import Captures
import Flows
import JSON
import OAuth

/// What the script that makes a provider's page is told of what somebody entered, where the form comes again (Home Assistant).
enum FormErrors {
    /// The errors of such an answer; nil where it names none.
    static func evidence(on exchange: Int, in flow: Flow) -> Evidence? {
        guard let response = flow.capture[exchange].response, response.isSuccessful,
            let form = JSONBody.object(of: response.body, below: 1 << 16),
            let errors = form["errors"]?.object
        else { return nil }
        let words = errors.members.compactMap(\.value.string).filter { !$0.isEmpty }
        guard !words.isEmpty else { return nil }
        return Evidence(
            place: Place(exchange: exchange, part: .responseBody, name: "errors"),
            value: Masking.shown(words.prefix(3).joined(separator: ", "), of: "body"),
            note: "what the page's script is told of what was entered"
        )
    }
}
