import Captures
import Flows
import JSON
import OAuth

/// The scopes are not separated by spaces, so the provider sees one scope with a strange name.
///
/// RFC 6749, section 3.3, has spaces alone. Said only where the parts are scopes that are known, and the provider
/// did not make out what was meant: a few take commas.
struct ScopeMalformed: Rule {
    static let info = RuleInfo(
        id: "scope-malformed",
        title: "Scopes are not separated by spaces",
        severity: .errorWhenRefused,
        explanation: """
            After the provider has decoded the parameter, something else than a space stands between the scopes: a comma, or an escape that \
            was escaped again. To the provider that is a single scope, which it does not know.
            """,
        fix:
            "Put one space between the scopes and encode it once: + or %20 in the query. Libraries mostly want a list or plain spaces.",
        badExample: "scope=openid%2Cprofile     (openid,profile)",
        goodExample: "scope=openid%20profile     (openid profile)",
        specifications: [.rfc(6749, "3.3")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let verdict = Verdict.first(of: flow.loginAttempts) { attempt in
            guard let scope = attempt.parameter("scope") else {
                return attempt.hiddenParameters.map { .abstains($0) } ?? .holds
            }
            let known = Self.usual.union(Self.supported(flow.metadata(of: attempt)))
            let isRefused =
                attempt.refusal?.error == "invalid_scope"
                || attempt.tokenRequests.contains { $0.isRefused(with: "invalid_scope") }
            guard let found = Self.separated(scope.value, known, isRefused: isRefused) else { return .holds }
            if let refusal = attempt.refusal, refusal.error == "invalid_scope" {
                return .violated(violation(scope, found.mark, refusal.evidence(), .error))
            }
            if let request = attempt.tokenRequests.first(where: { $0.isRefused(with: "invalid_scope") }) {
                return .violated(violation(scope, found.mark, request.answer.evidence(), .error))
            }
            guard found.words.contains("openid"), attempt.response?.parameters.contains("id_token") != true,
                let request = attempt.tokenRequests.first(where: {
                    $0.isCodeExchange && $0.answer.isSuccess
                }),
                // One that was cut off may have had it.
                attempt.tokenRequests.allSatisfy({
                    !$0.answer.isSuccess
                        || !$0.answer.parameters.isEmpty && !$0.answer.parameters.contains("id_token")
                })
            else { return .holds }
            let names = request.answer.parameters.items.map(\.name).prefix(12).joined(separator: ", ")
            let answer = Evidence(
                place: request.answer.place("id_token"),
                value: "missing",
                note: "answered: \(names)"
            )
            return .violated(
                violation(scope, found.mark, answer, flow.ending == .failure ? .error : .warning)
            )
        }
        if case .violated = verdict { return verdict }
        for request in flow.tokenRequests where request.isRefused(with: "invalid_scope") {
            guard let scope = request.parameters.parameter("scope"),
                let found = Self.separated(
                    scope.value,
                    Self.usual.union(flow.serverMetadata.flatMap { Self.supported($0) }),
                    isRefused: true
                )
            else { continue }
            return .violated(violation(scope, found.mark, request.answer.evidence(), .error))
        }
        return verdict
    }

    private func violation(_ scope: Parameter, _ mark: String, _ answer: Evidence, _ severity: Severity)
        -> Violation
    {
        Violation(
            [
                Evidence(scope, note: "decoded once: separated by \"\(mark)\""),
                Evidence(
                    place: scope.place,
                    value: Masking.shown(scope.rawValue, of: "scope"),
                    note: "as it was sent"
                ), answer,
            ],
            severity: severity
        )
    }

    // MARK: - Taking it apart

    private static let usual: Set<String> = [
        "openid", "profile", "email", "offline_access", "address", "phone",
    ]

    private static func supported(_ document: MetadataDocument?) -> [String] {
        document?.list("scopes_supported") ?? []
    }

    /// The scopes that something else than a space stands between, with that; nil where there is none.
    ///
    /// A comma may belong to a scope's name. A space that is encoded once too often belongs to none: of a scope that was refused
    /// nobody needs to know the parts. With a plus sign, which a name may have, one of them is enough.
    private static func separated(_ value: String, _ known: Set<String>, isRefused: Bool)
        -> (words: [String], mark: String)?
    {
        for mark in [",", "+", "%20", "%2C", "%2B"] {
            let words = value.utf8.split(separator: 0x20).map { String($0) ?? "" }
            let parts = words.flatMap { word -> [String] in
                // A scope whose very name has the mark in it is one.
                guard !known.contains(word) else { return [] }
                let pieces = split(word, mark)
                let isSure =
                    isRefused
                    && (mark == "%20" || pluses.contains(mark) && pieces.contains(where: known.contains))
                return pieces.count > 1 && (isSure || pieces.allSatisfy(known.contains)) ? pieces : []
            }
            if !parts.isEmpty { return (parts, mark) }
        }
        return nil
    }

    /// How a space is written in a form, left over in a value.
    private static let pluses: Set<String> = ["+", "%2B"]

    /// The parts between a mark, compared without regard to case; empty ones left out.
    private static func split(_ word: String, _ mark: String) -> [String] {
        let wanted = Array(mark.lowercased().utf8)
        let bytes = Array(word.utf8)
        let lower = bytes.map(\.asciiLowercased)
        var pieces: [String] = []
        var start = 0
        var index = 0
        while index < bytes.count {
            guard lower[index...].starts(with: wanted) else {
                index += 1
                continue
            }
            pieces.append(String(decoding: bytes[start..<index], as: UTF8.self))
            index += wanted.count
            start = index
        }
        pieces.append(String(decoding: bytes[start...], as: UTF8.self))
        return pieces.filter { !$0.isEmpty }
    }
}
