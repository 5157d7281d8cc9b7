package import Captures
package import OAuth

/// What a capture holds, read once: every message, and, when it is asked for first, what rules want to know of the rest of
/// the file (`CaptureIndex+Derived.swift`).
///
/// Immutable after `init`, and shared by all flows of the capture.
package final class CaptureIndex: Sendable {
    /// What was read.
    package let capture: Capture
    /// What is read out of the whole capture once, for the flows that ask.
    package let derived = DerivedValues()
    /// See ``page(_:)``.
    let pages: PageReadings
    /// Indices into `log.entries` by time; entries of the same instant in file order.
    ///
    /// Without those that another entry stands for: repetitions, requests that were never sent, requests that a service worker
    /// passed on.
    package let order: [Int]
    /// Where each entry stands in ``order``, or the one that stands for it.
    package let position: [Int]
    /// The message of each exchange that is one, authorization responses aside.
    package let messages: [Int: OAuthMessage]
    /// In order of time, as those that follow.
    package let authorizationRequests: [AuthorizationRequest]
    package let responses: [AuthorizationResponse]
    package let tokenRequests: [TokenRequest]
    package let metadata: [MetadataDocument]
    package let keySets: [KeySetDocument]
    /// Reading, changing and deleting them included.
    package let registrations: [EndpointCall]
    /// Which requests are those of different browsers.
    package let browsers: Browsers
    /// The exchange whose redirect led to this one.
    package let redirectedFrom: [Int: Int]
    /// The tokens of calls of APIs that no login of the capture is a part of.
    let loneTokens: Set<String>
    /// Hosts with at least one exchange that was seen in clear.
    package let openedHosts: Set<String>

    /// Reads the messages out of a capture; what only some ask for is made when they do.
    package init(_ capture: Capture) {
        self.capture = capture
        let pages = PageReadings()
        self.pages = pages
        let entryOrder = EntryOrder(capture)
        order = entryOrder.entries
        position = entryOrder.position
        browsers = Browsers(capture, order: order)
        redirectedFrom = RedirectChain.sources(in: capture, order: order, browsers)
        let read = CapturedMessages(capture, order: order, redirectedFrom: redirectedFrom)
        authorizationRequests = read.requests
        tokenRequests = read.tokens
        metadata = read.metadata
        keySets = read.keySets
        registrations = read.registrations
        let issued = Self.issuedTokens(in: read.tokens.map { $0.answer.parameters })
        responses = Self.responses(in: capture, pages, order: order, read, issued: issued)
        let all = issued.union(Self.issuedTokens(in: responses.map { $0.parameters }))
        loneTokens = Self.loneTokens(beside: read.all, capture: capture, order: order, issued: all)
        let resources = Self.addingResources(
            read.all,
            capture: capture,
            order: order,
            tokens: all.union(loneTokens)
        )
        messages = LeftOutTokens.adding(to: resources, of: read.requests, capture: capture, order: order)
        openedHosts = Self.openedHosts(of: capture)
    }

    /// Those that a redirect brought, and those that nothing but what follows tells of.
    private static func responses(
        in capture: Capture,
        _ pages: PageReadings,
        order: [Int],
        _ read: CapturedMessages,
        issued: Set<String>
    ) -> [AuthorizationResponse] {
        let redirected = ResponseFinder(
            capture: capture,
            pages: pages,
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
