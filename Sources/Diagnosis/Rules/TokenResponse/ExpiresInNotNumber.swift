import Captures
import Flows
import JSON
import OAuth

/// `expires_in` is something else than a number of seconds.
///
/// RFC 6749, appendix A.14, makes it digits, and section 5.1 a JSON number. Typed parsers fail on the whole answer.
struct ExpiresInNotNumber: Rule {
    static let info = RuleInfo(
        id: "expires-in-not-number",
        title: "expires_in is not a number",
        severity: .warning,
        explanation: """
            The token response says how long the access token lasts, but not as a whole number of seconds. Lenient clients convert it; strict ones \
            fail to read the answer, or take the token for expired at once.
            """,
        fix: "Have the provider write the seconds as a JSON number, without quotes: \"expires_in\":3600.",
        badExample: """
            POST /token → {"access_token":"…","token_type":"Bearer","expires_in":"3600"}
            """,
        goodExample: """
            POST /token → {"access_token":"…","token_type":"Bearer","expires_in":3600}
            """,
        specifications: [.rfc(6749, "5.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for request in flow.tokenRequests where request.answer.isSuccess {
            guard let note = fault(of: request.answer) else { continue }
            let value =
                request.answer.json?["expires_in"].map { JSONWriter.text(of: $0) }
                ?? request.answer.parameters["expires_in"] ?? ""
            return .violated(
                Violation([
                    Evidence(
                        place: request.answer.place("expires_in"),
                        value: Masking.shown(value, of: "expires_in"),
                        note: note
                    )
                ])
            )
        }
        return .holds
    }

    /// Nil where it is a number of seconds, or left out.
    private func fault(of answer: Answer) -> String? {
        switch answer.json?["expires_in"] {
        case .number(let number):
            guard let seconds = number.int else { return "no whole number" }
            return seconds < 0 ? "negative" : nil
        case .string: return "a string"
        case .null: return nil
        case .some: return "no number"
        case nil:
            // In a form everything is text.
            guard answer.json == nil, let text = answer.parameters["expires_in"], !text.isEmpty else {
                return nil
            }
            return text.utf8.allSatisfy { $0.isASCIIDigit } ? nil : "no whole number"
        }
    }
}
