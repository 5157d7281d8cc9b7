import Captures
import Flows

/// What was typed into fields for passwords, whatever they are called: the page says which those are.
enum TypedPasswords {
    /// Names and values of such fields, in the forms that were sent where a page sends them.
    static func all(in capture: Capture) -> [(name: String, value: String)] {
        var names: [String: Set<String>] = [:]
        for index in capture.indices {
            for field in PasswordFields.all(in: capture[index]) {
                guard !protocols.contains(field.name) else { continue }
                names[field.target.normalizedWithoutQuery, default: []].insert(field.name)
            }
        }
        guard !names.isEmpty else { return [] }
        return capture.indices.flatMap { index -> [(name: String, value: String)] in
            let request = capture[index].request
            guard request.method == "POST", let fields = names[request.url.normalizedWithoutQuery],
                let form = FormBody.items(of: request.body)
            else { return [] }
            return form.items.filter { fields.contains($0.name) && !$0.value.isEmpty }
                .map { ($0.name, $0.value) }
        }
    }

    /// Whatever a page makes of them, these are the protocol's (RFC 6749, section 4.1).
    private static let protocols: Set<String> = [
        "client_id", "grant_type", "redirect_uri", "response_type", "scope",
    ]
}
