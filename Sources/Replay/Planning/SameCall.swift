import Captures

/// Whether two requests to one address ask for the same thing.
enum SameCall {
    /// One code that is spent twice is one call made twice; two codes are two.
    static func isOne(_ first: RecordedRequest, _ second: RecordedRequest) -> Bool {
        let forms = [first, second].map { FormBody.items(of: $0.body) }
        guard let one = forms[0], let other = forms[1] else { return first.body?.text == second.body?.text }
        return ["grant_type", "code", "refresh_token", "device_code", "token"].allSatisfy {
            one.first($0) == other.first($0)
        }
    }
}
