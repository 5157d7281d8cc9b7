import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A MyInfo v4 login does not name its purpose.
///
/// `purpose_id` tells for which of the approved purposes the data are wanted; the consent page shows it.
struct MyinfoPurposeMissing: Rule {
    static let info = RuleInfo(
        id: "myinfo-purpose-missing",
        title: "MyInfo wants `purpose_id`",
        severity: .errorWhenRefused,
        explanation:
            "Every MyInfo request has to name the purpose that was approved for the client. This one has no purpose_id.",
        fix: "Send purpose_id with the id of the purpose that was approved for this client.",
        badExample: "GET /com/v4/authorize?client_id=…&scope=name&redirect_uri=…&code_challenge=…",
        goodExample:
            "GET /com/v4/authorize?client_id=…&scope=name&redirect_uri=…&code_challenge=…&purpose_id=demonstration",
        specifications: [SingpassGuide.myinfo]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.firstViolation(among: flow.singpassAttempts) { attempt, _ in
            guard attempt["purpose_id"] == nil else { return .holds }
            guard attempt.request?.endpoint.path.hasSuffix("/com/v4/authorize") ?? false else {
                return .holds
            }
            if let hidden = attempt.hiddenParameters {
                return .abstains(hidden)
            }
            var evidence = [attempt.names(note: "without purpose_id")]
            if let refusal = attempt.refusal { evidence.append(refusal.evidence()) }
            return .violated(Violation(evidence, severity: attempt.severity, exchange: attempt.exchange))
        }
    }
}
