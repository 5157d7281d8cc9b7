import Captures
import OAuth

extension Flow {
    /// The step at which a sign-in at ForgeRock's API was refused, where there is nothing else in the flow, documents aside; nil for
    /// any other flow.
    package var refusedJourney: Int? {
        guard messages.allSatisfy(\.isPublished),
            let last = exchanges.last(where: { ForgeRockStep.isOne(capture[$0]) })
        else { return nil }
        return ForgeRockStep.refusal(in: capture[last]) == nil ? nil : last
    }
}
