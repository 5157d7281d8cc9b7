import Captures
import Flows
import JOSE
import JSON
import OAuth

/// What a difference between two flows weighs.
extension FlowComparison {
    func weight(_ weight: DifferenceWeight, of fact: Fact?, _ other: Fact?, _ kind: StepKind)
        -> DifferenceWeight
    {
        guard weight == .difference, let any = other ?? fact else { return .note }
        // How people find their way through pages is no difference, unless one of them did not find it.
        if kind == .userInteraction, expected.hasResponse == seen.hasResponse { return .note }
        if options.isOtherUser, isOfPerson(fact, other) { return .note }
        if let fact, let other, let light = lightened(fact, other, kind) { return light }
        return options.isOtherProvider
            && !Requirement.isRequired(any, isPresent: fact != nil && other != nil, in: kind)
            ? .note : weight
    }

    /// Whether an answer, or a token of it, says something else of the person who signed in, or nothing.
    ///
    /// That it is the person of an earlier answer counts, whoever it is.
    private func isOfPerson(_ fact: Fact?, _ other: Fact?) -> Bool {
        guard let any = other ?? fact, [.responseBody, .jwtClaims].contains(any.place.part),
            any.key.aspect.isEmpty, VolatileNames.isOfPerson(any.key.leaf), !Requirement.isOfClient(any)
        else { return false }
        if case .differs? = other?.relation { return false }
        // Whoever it is has one (OpenID Connect Core, sections 2 and 5.3.2).
        guard let fact, let other else { return any.key.leaf != "sub" }
        return fact.type == other.type
    }

    /// Whether it is the client that was to be driven in place of the recorded one, where a token names that one.
    func isOfGivenClient(_ fact: Fact, _ other: Fact) -> Bool {
        guard let given = options.given.clientID, let recorded = expected.flow.clientID else { return false }
        let names = [fact, other].map { $0.elements.count == 1 ? $0.elements[0] : $0.value }
        return names[0].equalsBytes(of: recorded) && names[1].equalsBytes(of: given)
    }

    /// Whether both answers that facts are of were no refusals.
    private func areBothTaken(_ fact: Fact, _ other: Fact) -> Bool {
        [(expected.flow, fact), (seen.flow, other)].allSatisfy { flow, fact in
            fact.place.exchange.flatMap { flow.capture[$0].response?.status }.map { $0 < 400 } ?? false
        }
    }

    /// Verdicts of which not every change says something.
    private func lightened(_ fact: Fact, _ other: Fact, _ kind: StepKind) -> DifferenceWeight? {
        if fact.place.part == .responseStatus, areBothTaken(fact, other) {
            // The client goes by the status alone (RFC 7009, section 2.2).
            if kind == .revocationRequest, fact.key.aspect == "kind of answer" { return .note }
            // One shows its page at once, another sends the browser there, a third knows who it is.
            if options.isOtherProvider, kind == .authorizationRequest || kind == .endSessionRequest {
                return .note
            }
        }
        switch fact.key.aspect {
        case "kind of answer" where [fact.value, other.value].contains(AnswerFacts.unrecorded): return .note
        case "signature":
            // Without the keys nothing can be said; with them, a key that is not among them is a fault.
            let unknown = ["not_checked", "redacted", "encrypted"]
            if unknown.contains(fact.value) || unknown.contains(other.value) { return .note }
            if fact.value == "unknown_key" { return other.value == "valid" ? .note : nil }
            return other.value == "unknown_key" && !seen.flow.hasKeys ? .note : nil
        case "Path":
            // One that is played for another lies in a folder of its own.
            return !options.mapped.isEmpty && other.value.hasSuffix(fact.value) ? .note : nil
        case "Domain":
            // An address has no domains above it, nor has this machine.
            let host = other.place.exchange.flatMap { seen.flow.capture[$0].request.url.host } ?? ""
            return LoopbackHost.isLoopback(host) && !options.mapped.isEmpty ? .note : nil
        case "Secure", "SameSite":
            // Without TLS there are no secure cookies, and none that go to other sites.
            let schemes = [(expected.flow, fact), (seen.flow, other)].map { flow, fact in
                fact.place.exchange.flatMap { flow.capture[$0].request.url.scheme?.lowercased() }
            }
            return schemes[0] == schemes[1] ? nil : .note
        case "" where fact.place.part == .responseStatus:
            let pair: Set = [fact.value, other.value]
            // The browser had it already (RFC 9110, section 15.4.5).
            if pair == ["200", "304"] { return .note }
            return pair.isSubset(of: ["302", "303"]) ? .note : nil
        default: return nil
        }
    }
}

extension Flow {
    /// Whether the capture holds keys that its tokens could be checked with.
    fileprivate var hasKeys: Bool {
        surroundings.keySets.contains { $0.keys.map { !$0.keys.isEmpty } ?? false }
    }
}
