import Captures
import Flows

extension FlowRun {
    /// What pages were sent as recorded though it looks drawn at random, by step, where the login did not come to its end: the
    /// recorded page's script may have made it, or been told it in a way that is not known here, so that it is of a login that is
    /// over.
    ///
    /// Of the first step that was refused in this run and not in the recording, which fails those behind it; where there is none, of
    /// the last that was sent. What an answer of this run says as well is none, nor what the authorization request has, or a secret;
    /// and none is what was sent before the user was let in.
    ///
    /// `names`: of parameters, which may be set; `headers`: of header fields, which may not.
    package var staleValues: [(step: PlannedStep, names: [String], headers: [String])] {
        guard !isComplete else { return [] }
        let all = zip(plan.steps, results).compactMap { step, result -> (step: PlannedStep, index: Int)? in
            guard case .sent(let index) = result, exchanges.indices.contains(index) else { return nil }
            return (step, index)
        }
        let entry = all.lastIndex { step, index in Self.letsIn(step, exchanges[index].request) }
        let sent = all[(entry.map { $0 + 1 } ?? 0)...].filter { step, _ in
            step.isBrowser && (step.kind == .userInteraction || step.kind == nil)
        }
        let refused = sent.filter { step, index in
            Self.isRefused(exchanges[index]) && !Self.isRefused(plan.flow.capture[step.exchange])
        }
        return [refused.first ?? sent.last].compactMap(\.self).compactMap { step, index in
            let isStale = staleness(in: index)
            let parameters = Self.drawnParameters(of: step).prefix(Self.most).filter { isStale($0.value) }
            let fields = Self.drawnFields(of: step).prefix(Self.most).filter { isStale($0.value) }
            guard !parameters.isEmpty || !fields.isEmpty else { return nil }
            return (step, parameters.map(\.name).eachOnce(), fields.map(\.name).eachOnce())
        }
    }

    /// Whether the user has been let in when a request is sent: it brings a response without an error, or spends a code of this run.
    private static func letsIn(_ step: PlannedStep, _ request: RecordedRequest) -> Bool {
        let form = FormBody.items(of: request.body) ?? QueryItems()
        switch step.kind {
        case .authorizationResponse:
            return !request.url.queryItems.contains("error") && !form.contains("error")
        case .tokenRequest: return form.first("code") != FormBody.items(of: step.request.body)?.first("code")
        default: return false
        }
    }

    private static func isRefused(_ exchange: Exchange) -> Bool {
        exchange.response.map { $0.status >= 400 } ?? false
    }

    /// So many are looked for in all answers.
    private static let most = 64

    /// Whether a recorded value was sent in a request of this run, and comes from nowhere in it.
    private func staleness(in index: Int) -> (String) -> Bool {
        var carried = SentTexts()
        carried.note(exchanges[index].request)
        var asked = SentTexts()
        for other in plan.steps where other.kind == .authorizationRequest { asked.note(other.request) }
        let answers = exchanges[..<index].compactMap { $0.response?.body?.text }
        return { [carried, asked, client = plan.flow.clientID] value in
            carried.mayHold(value) && !asked.mayHold(value) && value != client
                && !answers.contains { $0.containsBytes(value) }
        }
    }

    /// What a recorded request carries that looks drawn at random, and is nobody's secret.
    private static func drawnParameters(of step: PlannedStep) -> [PlannedParameter] {
        step.parameters.filter { parameter in
            switch parameter.source {
            case .literal, .form, .issued: ScriptTokens.looksDrawn(parameter.value)
            case .generated, .secret: false
            }
        }
    }

    private static func drawnFields(of step: PlannedStep) -> [HeaderFields.Field] {
        step.request.headers.fields.filter {
            !HeaderRules.isLeftOut($0) && !["authorization", "dpop"].contains($0.name.lowercased())
                && ScriptTokens.looksDrawn($0.value)
        }
    }
}
