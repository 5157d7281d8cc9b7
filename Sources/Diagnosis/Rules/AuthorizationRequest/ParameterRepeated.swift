import Captures
import Flows
import OAuth

/// A parameter stands twice in one request.
///
/// It must not (RFC 6749, sections 3.1 and 3.2): which of the two counts is anybody's guess. `resource` and `audience`
/// may be repeated (RFC 8707, section 2; RFC 8693, section 2.1).
struct ParameterRepeated: Rule {
    static let info = RuleInfo(
        id: "parameter-repeated",
        title: "A parameter occurs twice in one request",
        severity: .errorWhenRefused,
        explanation: """
            Two parts of the app have added the same parameter. Servers take the first, take the last, or refuse the request; a proxy in \
            between may see another one than they do.
            """,
        fix:
            "Send it once. Often a parameter stands in the configured URL already and the library adds it again.",
        badExample: "GET /authorize?response_type=code&client_id=shop&scope=openid&scope=profile&…",
        goodExample: "GET /authorize?response_type=code&client_id=shop&scope=openid+profile&…",
        specifications: [.rfc(6749, "3.1"), .rfc(6749, "3.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        var evidence: [Evidence] = []
        var isRefused = false
        var first: Int?
        func look(at exchange: Int, _ refused: Bool, _ answer: @autoclosure () -> Evidence?) {
            let found = Self.repeated(in: exchange, flow)
            guard !found.isEmpty else { return }
            evidence += found.prefix(12).map { Evidence($0) }
            if refused, !isRefused { evidence += answer().map { [$0] } ?? [] }
            isRefused = isRefused || refused
            first = first ?? exchange
        }
        for attempt in flow.loginAttempts {
            if attempt.request != nil {
                look(at: attempt.exchange, attempt.isRefused, attempt.refusal?.evidence())
            }
            if let pushed = attempt.pushed {
                look(at: pushed.exchange, pushed.answer.isRefusal, pushed.answer.evidence())
            }
        }
        for request in flow.tokenRequests {
            look(at: request.exchange, request.answer.isRefusal, request.answer.evidence())
        }
        guard !evidence.isEmpty else { return .holds }
        return .violated(Violation(evidence, severity: isRefused ? .error : .warning, exchange: first))
    }

    private static let repeatable: Set<String> = ["resource", "audience"]

    /// Every occurrence of the names that stand more than once in the query, or in the form.
    private static func repeated(in exchange: Int, _ flow: Flow) -> [Parameter] {
        let request = flow.capture[exchange].request
        let query = Parameters(request.url.queryItems, of: exchange, in: .requestQuery)
        let form = FormBody.items(of: request.body).map { Parameters($0, of: exchange, in: .requestBody) }
        return [query, form ?? Parameters()].flatMap { parameters -> [Parameter] in
            var counts: [String: Int] = [:]
            for item in parameters.items { counts[item.name, default: 0] += 1 }
            return parameters.items.filter {
                !$0.name.isEmpty && !repeatable.contains($0.name) && (counts[$0.name] ?? 0) > 1
            }
        }
    }
}
