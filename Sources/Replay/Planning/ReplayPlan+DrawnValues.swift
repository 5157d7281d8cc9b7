import Captures
import Flows

extension ReplayPlan {
    /// Names of parameters that a page is sent as recorded though they look drawn at random: its script may have made them, or have
    /// been told them in a way that is not known here.
    ///
    /// What the authorization request has as well is none, nor the client's own name.
    package func drawnNames(of step: PlannedStep) -> [String] {
        guard step.isBrowser, step.kind == .userInteraction || step.kind == nil else { return [] }
        var asked = SentTexts()
        for other in steps where other.kind == .authorizationRequest { asked.note(other.request) }
        return step.parameters.lazy.filter { parameter in
            parameter.source == .literal && parameter.value != flow.clientID
                && ScriptTokens.looksDrawn(parameter.value) && !asked.mayHold(parameter.value)
        }.map(\.name)
    }
}
