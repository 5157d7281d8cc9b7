import Captures

/// Whether two requests to one address ask for the same thing.
enum SameCall {
    /// One code that is spent twice is one call made twice; two codes are two.
    static func isOne(_ first: RecordedRequest, _ second: RecordedRequest) -> Bool {
        let forms = [first, second].map { FormBody.items(of: $0.body) }
        guard let one = forms[0], let other = forms[1] else { return first.body?.text == second.body?.text }
        return names.allSatisfy { one.first($0) == other.first($0) }
    }

    /// What two requests share that ``isOne(_:_:)`` holds for one call, to be looked up.
    enum Mark: Hashable {
        case form([String?])
        case textOfForm(String?)
        case text(String?)
    }

    /// What a request has, and what one of the same call has at least one of.
    static func marks(of request: RecordedRequest) -> (own: [Mark], sought: [Mark]) {
        let text = request.body?.text
        guard let form = FormBody.items(of: request.body) else {
            return ([.text(text)], [.text(text), .textOfForm(text)])
        }
        let values = Mark.form(names.map { form.first($0) })
        return ([values, .textOfForm(text)], [values, .text(text)])
    }

    private static let names = ["grant_type", "code", "refresh_token", "device_code", "token"]
}
