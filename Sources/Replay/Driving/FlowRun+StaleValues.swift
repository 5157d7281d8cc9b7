import Captures
import Flows

extension FlowRun {
    /// What pages were sent as recorded though it looks drawn at random, by step, where the login did not come to its end: the recorded page's
    /// script may have made it, or been told it in a way that is not known here, so that it is of a login that is over.
    ///
    /// Of the first step that was refused in this run and not in the recording, which fails those behind it; where there is none, of the last
    /// that was sent. What an answer of this run says as well is none, nor what the authorization request has, or a secret; and none is
    /// what was sent before the user was let in.
    package var staleValues: [(step: PlannedStep, names: [String])] {
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
            let names = staleNames(of: step, sentAs: index)
            return names.isEmpty ? nil : (step, names)
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

    /// Each once, in the order of the request.
    private func staleNames(of step: PlannedStep, sentAs index: Int) -> [String] {
        var carried = SentTexts()
        carried.note(exchanges[index].request)
        var asked = SentTexts()
        for other in plan.steps where other.kind == .authorizationRequest { asked.note(other.request) }
        let answers = exchanges[..<index].compactMap { $0.response?.body?.text }
        var names: [String] = []
        for (name, value) in Self.drawnValues(of: step).prefix(Self.most) where !names.contains(name) {
            guard carried.mayHold(value), !asked.mayHold(value), value != plan.flow.clientID,
                !answers.contains(where: { $0.containsBytes(value) })
            else { continue }
            names.append(name)
        }
        return names
    }

    /// What a recorded request carries that looks drawn at random, and is nobody's secret.
    private static func drawnValues(of step: PlannedStep) -> [(name: String, value: String)] {
        let parameters = step.parameters.compactMap { parameter -> (name: String, value: String)? in
            switch parameter.source {
            case .literal, .form, .issued: (parameter.name, parameter.value)
            case .generated, .secret: nil
            }
        }
        let fields = step.request.headers.fields.lazy.filter {
            !HeaderRules.isLeftOut($0) && !["authorization", "dpop"].contains($0.name.lowercased())
        }
        return (parameters + fields.map { ($0.name, $0.value) }).filter { ScriptTokens.looksDrawn($0.value) }
    }
}
