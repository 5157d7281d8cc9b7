import Captures
import Flows
import JSON
package import Replay

/// A replay's plan for programs.
package enum PlanJSON {
    /// `changes`: of each plan those that a search for a fix would try on it; nil where none is searched.
    package static func text(
        of plans: [(plan: ReplayPlan, map: EndpointMap)],
        given: Set<String>,
        changes: [[Hypothesis]?] = []
    ) -> String {
        JSONWriter.text(
            of: .object([
                "version": JSONValue(Report.version),
                "plans": .array(
                    plans.enumerated().map { index, item in
                        plan(item.plan, item.map, given, index < changes.count ? changes[index] : nil)
                    }
                ),
            ]),
            indented: true
        )
    }

    private static func plan(
        _ plan: ReplayPlan,
        _ map: EndpointMap,
        _ given: Set<String>,
        _ changes: [Hypothesis]?
    ) -> JSONValue {
        let addresses = DrivenAddresses(of: plan, map)
        var object: JSONObject = [
            "flow": .string(plan.flow.id), "grant": .string(plan.flow.grant),
            "origins": .array(PlanText.origins(of: plan, map).map { .string($0) }),
            "steps": .array(plan.steps.map { step($0, plan, addresses, given) }),
            "not_driven": .array(
                plan.leftOut.map { item in
                    [
                        "exchange": JSONValue(item.exchange),
                        "reason": .string(LeftOutWords.name(item.reason)),
                    ]
                }
            ),
            "secrets": .array(
                plan.secrets.map { need in
                    [
                        "name": .string(need.name), "purpose": .string(need.purpose),
                        "known": .bool(need.isRecorded || given.contains(need.name)),
                    ]
                }
            ),
        ]
        if let changes {
            object["changes"] = .array(
                FixSearch.order(of: changes).map {
                    ["change": .string($0.id), "advice": .string($0.advice)]
                }
            )
        }
        return .object(object)
    }

    private static func step(
        _ step: PlannedStep,
        _ plan: ReplayPlan,
        _ addresses: DrivenAddresses,
        _ given: Set<String>
    ) -> JSONValue {
        var object: JSONObject = [
            "exchange": JSONValue(step.exchange),
            "kind": .string(step.kind?.rawValue ?? "page_script"),
            "method": .string(plan.flow.capture[step.exchange].request.method),
            "url": .string(PlanText.text(of: addresses[step])),
        ]
        switch step.action {
        case .send: object["action"] = "send"
        case .follow(let source):
            object["action"] = "follow"
            object["of"] = JSONValue(source)
        case .submit(let page):
            object["action"] = "submit"
            object["of"] = JSONValue(page)
        }
        if let wait = step.wait {
            object["wait_ms"] = JSONValue(wait.wholeMilliseconds)
        }
        if step.hasSideEffect { object["side_effect"] = true }
        if step.lacksBody { object["body_missing"] = true }
        let isNameGiven = given.contains(SecretNames.username)
        object["parameters"] = .array(
            step.parameters.map { planned in
                var planned = planned
                if isNameGiven, plan.namesUser(planned) {
                    planned.source = .secret(SecretNames.username, isRecorded: true)
                }
                return parameter(planned, given)
            }
        )
        return .object(object)
    }

    private static func parameter(_ parameter: PlannedParameter, _ given: Set<String>) -> JSONValue {
        var object: JSONObject = [
            "name": .string(parameter.name), "where": .string(parameter.part.rawValue),
        ]
        switch parameter.source {
        case .literal:
            object["source"] = "literal"
            object["value"] = .string(Masking.shown(parameter.value, of: parameter.name))
        case .form: object["source"] = "form"
        case .generated(let kind):
            object["source"] = "generated"
            if kind == .grantAssertion { object["known"] = .bool(given.contains(SecretNames.clientKey)) }
            object["kind"] = .string(kind.rawValue)
        case .issued(let place):
            object["source"] = "linked"
            object["origin"] = [
                "exchange": JSONValue(place.exchange ?? 0),
                "where": .string(place.part.rawValue),
                "name": .string(place.name),
            ]
        case .secret(let name, let isRecorded):
            object["source"] = "secret"
            object["secret"] = .string(name)
            object["known"] = .bool(isRecorded || given.contains(name))
        }
        return .object(object)
    }
}
