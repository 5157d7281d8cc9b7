package import Captures
package import OAuth

/// What a capture holds, read once: every message, and, when it is asked for first, what rules want to know of the rest of
/// the file (`CaptureIndex+Derived.swift`).
///
/// Immutable after `init`, and shared by all flows of the capture.
package final class CaptureIndex: Sendable {
    package let capture: Capture
    /// What is read out of the whole capture once, for the flows that ask.
    package let derived = DerivedValues()
    /// Indices into `log.entries` by time; entries of the same instant in file order.
    ///
    /// Without those that another entry has as a service worker passed them on.
    package let order: [Int]
    /// Where each entry stands in ``order``, or the one that has it.
    package let position: [Int]
    /// The message of each exchange that is one, authorization responses aside.
    package let messages: [Int: OAuthMessage]
    /// In order of time.
    package let authorizationRequests: [AuthorizationRequest]
    package let responses: [AuthorizationResponse]
    package let tokenRequests: [TokenRequest]
    package let metadata: [MetadataDocument]
    package let keySets: [KeySetDocument]
    package let registrations: [EndpointCall]
    /// The exchange whose redirect led to this one.
    package let redirectedFrom: [Int: Int]
    /// Hosts with at least one exchange that was seen in clear.
    package let openedHosts: Set<String>

    package init(_ capture: Capture) {
        self.capture = capture
        (order, position) = Self.order(of: capture)
        let read = CapturedMessages(capture, order: order)
        authorizationRequests = read.requests
        tokenRequests = read.tokens
        metadata = read.metadata
        keySets = read.keySets
        registrations = read.registrations
        redirectedFrom = RedirectChain.sources(in: capture, order: order)
        let issued = Self.issuedTokens(in: read.tokens.map { $0.answer.parameters })
        responses = Self.responses(in: capture, order: order, read, issued: issued)
        messages = Self.addingResources(
            read.all,
            capture: capture,
            order: order,
            issued: issued.union(Self.issuedTokens(in: responses.map { $0.parameters }))
        )
        openedHosts = Self.openedHosts(of: capture)
    }

    /// The entries by time, and where each stands among them.
    private static func order(of capture: Capture) -> (order: [Int], position: [Int]) {
        let sign = isDownwards(capture) ? -1 : 1
        let entries = capture.indices.sorted {
            (capture[$0].startedAt.nanoseconds, sign * $0) < (capture[$1].startedAt.nanoseconds, sign * $1)
        }
        let repeated = RepeatedEntries(capture, order: entries).kept
        let single = repeated.isEmpty ? entries : entries.filter { repeated[$0] == nil }
        let unsent = UnsentEntries(capture, order: single).sent
        let sent = unsent.isEmpty ? single : single.filter { unsent[$0] == nil }
        let passedOn = ServiceWorkerTwins(capture, order: sent).passedOn
        let order = passedOn.isEmpty ? sent : sent.filter { passedOn[$0] == nil }
        var position = [Int](repeating: 0, count: entries.count)
        for (place, entry) in order.enumerated() { position[entry] = place }
        for (entry, twin) in passedOn { position[entry] = position[twin] }
        for (entry, other) in unsent { position[entry] = position[other] }
        for (entry, first) in repeated { position[entry] = position[first] }
        return (order, position)
    }

    /// Whether the newest entry stands first: then what happened in the same moment stands so as well.
    private static func isDownwards(_ capture: Capture) -> Bool {
        guard let first = capture.indices.first, let last = capture.indices.last,
            capture[first].startedAt > capture[last].startedAt
        else { return false }
        return capture.indices.dropLast().allSatisfy { capture[$0].startedAt >= capture[$0 + 1].startedAt }
    }

    /// Those that a redirect brought, and those that nothing but what follows tells of.
    private static func responses(
        in capture: Capture,
        order: [Int],
        _ read: CapturedMessages,
        issued: Set<String>
    ) -> [AuthorizationResponse] {
        let redirected = ResponseFinder(
            capture: capture,
            order: order,
            requests: read.requests,
            tokens: read.tokens,
            registrations: read.registrations
        ).responses()
        let others = CredentialFinder(
            capture: capture,
            order: order,
            messages: read.all,
            requests: read.requests,
            known: issued.union(issuedTokens(in: redirected.map { $0.parameters }))
        ).responses(besides: redirected)
        return redirected + others
    }
}
