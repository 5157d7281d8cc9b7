import Captures
import Flows

extension ReplayPlan {
    /// Names of parameters that a page is sent as recorded though they look drawn at random, step by step: its script may have made
    /// them, or have been told them in a way that is not known here.
    ///
    /// What the authorization request has as well is none, nor the client's own name.
    package var drawnNames: [[String]] {
        var asked = SentTexts()
        for step in steps where step.kind == .authorizationRequest { asked.note(step.request) }
        return steps.map { step in
            guard step.isBrowser, step.kind == .userInteraction || step.kind == nil else { return [] }
            return step.parameters.filter { parameter in
                parameter.source == .literal && parameter.value != flow.clientID
                    && ScriptTokens.looksDrawn(parameter.value) && !asked.mayHold(parameter.value)
            }.map(\.name)
        }
    }
}
