import Captures
import OAuth

/// Refusals as answers.
extension RefusalDialect {
    /// The answer of an endpoint that speaks JSON.
    ///
    /// `explanation`: for whoever runs the provider, where more is known than the answer says.
    func answer(
        refusing refusal: Refusal,
        at role: Endpoints.Role,
        headers: [(String, String)] = [],
        _ explanation: String?
    ) -> BuiltAnswer {
        var answer = BuiltAnswer(like: self.answer(to: refusal, at: role), role: role)
        answer.explanation = explanation
        if !answer.headers.contains("cache-control") { answer.headers.append("Cache-Control", "no-store") }
        // Who was seen to refuse so without a challenge gives none here either.
        let hasOwnChallenge = hasSeen(refusal, at: role)
        for (name, value) in headers where !answer.headers.contains(name) {
            if hasOwnChallenge, name == "WWW-Authenticate" { continue }
            answer.headers.append(name, value)
        }
        return answer
    }

    /// A page for those who cannot be told otherwise (RFC 6749, section 4.1.2.1).
    ///
    /// `explanation`: for whoever runs the provider, where more is known than the page says.
    func page(refusing refusal: Refusal, _ explanation: String?) -> BuiltAnswer {
        let text = refusal == .clientUnknown ? "The client is not known here." : refusal.standard.description
        var answer =
            page(of: refusal).map { BuiltAnswer(like: $0) } ?? .page(400, SignInPage.error(text))
        answer.explanation = explanation ?? refusal.standard.description
        return answer
    }
}
