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
            let isDialect = Self.isDialect(request.answer, of: flow.capture[request.exchange].request.url)
            let value =
                request.answer.json?["expires_in"].map { JSONWriter.text(of: $0) }
                ?? request.answer.parameters["expires_in"] ?? ""
            return .violated(
                Violation(
                    [
                        Evidence(
                            place: request.answer.place("expires_in"),
                            value: Masking.shown(value, of: "expires_in"),
                            note: note
                        )
                    ],
                    severity: isDialect ? .note : nil,
                    saying: isDialect ? Self.dialect : nil
                )
            )
        }
        return .holds
    }

    /// Whether a provider documents digits as text: Firebase, and Entra's endpoints without a version.
    private static func isDialect(_ answer: Answer, of endpoint: RecordedURL) -> Bool {
        guard let text = answer.json?["expires_in"]?.string, !text.isEmpty,
            text.utf8.allSatisfy(\.isASCIIDigit)
        else { return false }
        let host = endpoint.host ?? ""
        return host == "securetoken.googleapis.com"
            || host.hasPrefix("login.microsoftonline.") && endpoint.path.hasSuffix("/oauth2/token")
    }

    private static let dialect = Violation.Words(
        explanation: """
            This provider documents its answer so, with the seconds as text. Its own libraries know it; one that wants a number as it stands \
            in RFC 6749 may fail to read the answer, or take the token for expired at once.
            """,
        fix: """
            Nothing needs fixing where the app reads the answer. Give a strict library the answer with a number in place of the text; Entra's \
            endpoints of version 2.0 have one.
            """
    )

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
            guard answer.json == nil, let text = answer.parameters["expires_in"] else { return nil }
            return text.utf8.allSatisfy { $0.isASCIIDigit } ? nil : "no whole number"
        }
    }
}
