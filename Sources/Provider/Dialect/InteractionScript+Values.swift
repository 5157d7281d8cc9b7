import Captures

extension InteractionScript {
    /// The parameters of the recorded request, with those of another one in their place.
    func values(for parameters: RequestParameters) -> [(old: String, new: String)] {
        var values: [(String, String)] = []
        for (name, old) in self.parameters.items where !Self.common.contains(name) {
            let new = parameters[name] ?? ""
            if old == new { continue }
            guard old.utf8.count < Substitution.minimumLength else {
                values.append((old, new))
                continue
            }
            // Alone it may be anything: it counts with its name, in a query or in the field of a form.
            values.append(("\(name)=\(old)", "\(name)=\(new)"))
            values.append((Self.field(name, old), Self.field(name, new)))
        }
        return values
    }

    private static func field(_ name: String, _ value: String) -> String {
        "name=\"\(HTMLText.escaped(name))\" value=\"\(HTMLText.escaped(value))\""
    }

    /// Parameters whose values mean the same in every login.
    private static let common: Set<String> = [
        "response_type", "response_mode", "prompt", "display", "code_challenge_method", "max_age",
        "client_assertion_type",
    ]
}
