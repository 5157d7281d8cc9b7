import Captures
import Flows
import OAuth

/// The redirect URI was percent-encoded twice.
///
/// The provider decodes once (RFC 6749, appendix B) and is left with `https%3A%2F%2F…`, which is no URI and not
/// registered by anybody.
struct RedirectURIDoubleEncoded: Rule {
    static let info = RuleInfo(
        id: "redirect-uri-double-encoded",
        title: "The redirect URI was encoded twice",
        severity: .errorWhenRefused,
        explanation: """
            After the provider has decoded the parameter, it still is percent-encoded, because two parts of the app encoded it one after \
            the other. The result is another string than the registered one.
            """,
        fix: """
            Encode once: hand the plain URI to the function that builds the query, and take your own encoding out.
            """,
        badExample: "redirect_uri=https%253A%252F%252Fapp.example%252Fcallback",
        goodExample: "redirect_uri=https%3A%2F%2Fapp.example%2Fcallback",
        specifications: [
            SpecificationReference(
                text: "RFC 6749 Appendix B",
                url: "https://www.rfc-editor.org/rfc/rfc6749#appendix-B"
            )
        ]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard let uri = attempt.parameter("redirect_uri") else {
                return attempt.hiddenParameters.map { .abstains($0) } ?? .holds
            }
            guard Self.isStillEncoded(uri.value) else { return .holds }
            let raw = Evidence(
                place: uri.place,
                value: Masking.shown(uri.rawValue, of: "redirect_uri"),
                note: "as it was sent"
            )
            let decoded = Evidence.computed(
                "redirect_uri",
                Masking.shown(uri.value, of: "redirect_uri"),
                in: uri.place.part,
                note: "decoded once; once more: \(Excerpt.start(of: PercentEncoding.decode(uri.value), 120))"
            )
            return .violated(
                Violation(
                    [raw, decoded] + (attempt.isRefused ? attempt.refusal.map { [$0.evidence()] } ?? [] : []),
                    severity: attempt.severity
                )
            )
        }
    }

    /// A scheme, and `:` and a slash behind it as percent sequences.
    private static func isStillEncoded(_ value: String) -> Bool {
        let bytes = value.utf8.map(\.asciiLowercased)
        guard let first = bytes.first, (0x61...0x7a).contains(first) else { return false }
        let rest = bytes.drop { byte in
            (0x61...0x7a).contains(byte) || byte.isASCIIDigit || [0x2b, 0x2d, 0x2e].contains(byte)
        }
        return rest.starts(with: "%3a%2f".utf8)
    }
}
