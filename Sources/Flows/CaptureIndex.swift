package import Captures
import JOSE
import JSON
package import OAuth

/// What a capture holds, read once: every message, and what rules ask about the rest of the file.
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
    /// Not a single cookie or credential in the whole file, though it went to an authorization endpoint: an
    /// export without them, of another program than ours.
    package let isSanitized: Bool
    /// Whether any request of the file has a cookie: some recorders keep the cookies that are set and not those that
    /// are sent.
    package let areCookiesRecorded: Bool
    /// Client secrets by `client_id`: issued by a registration, or accepted by a token endpoint.
    package let knownSecrets: [String: String]
    /// Registrations by the `client_id` they gave out, oldest first.
    package let registrationsByClient: [String: [EndpointCall]]
    /// Codes by the client whose login they answer, as far as `state` shows it; oldest first.
    package let codesByClient: [String: [Parameter]]
    /// Exchanges that carry a client assertion, by what tells it from others (``ClientAssertion/key``), in the
    /// order of time.
    package let assertionUses: [String: [Int]]
    /// Questions of a browser whether a page may call another origin (Fetch standard, CORS), by the host that
    /// is asked, in the order of time.
    package let preflights: [String: [Int]]
    /// Hosts with at least one exchange that was seen in clear.
    package let openedHosts: Set<String>
    /// Encrypted tokens, as far as the capture has their keys.
    package let opened: OpenedTokens
    /// The app's servers, as far as they speak through the recorder.
    package let backChannel: BackChannel
    package let latest: LatestRequests
    /// Values of logins by which they meet again elsewhere in the capture.
    package let loginValues: LoginValues
    /// The 401 answers, in order of time, by the origin of the resource.
    ///
    /// Kept only where somebody asked for a resource's metadata.
    package let challenges: [String: [ResourceChallenge]]

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
        backChannel = BackChannel(capture, order: order, messages: read.all, metadata: metadata)
        challenges = Self.challenges(in: capture, order: order, metadata)
        latest = LatestRequests(capture, order: order, messages: read.all)
        loginValues = LoginValues(
            capture,
            order: order,
            requests: read.requests,
            responses: responses,
            tokens: read.tokens
        )
        // Who saw the browser's connection itself saw that there was none.
        isSanitized =
            !read.requests.isEmpty && read.requests.allSatisfy { capture[$0.exchange].client.address == nil }
            && Self.hasNoCredentials(capture)
        areCookiesRecorded = capture.indices.contains { !capture[$0].request.cookies.isEmpty }
        knownSecrets = Self.secrets(read.tokens, registrations)
        opened = OpenedTokens(
            capture,
            tokens: read.tokens,
            responses: responses,
            keySets: keySets,
            registrations: registrations,
            secrets: knownSecrets
        )
        registrationsByClient = registrations.reduce(into: [:]) { list, call in
            if let client = call.answer.parameters["client_id"] { list[client, default: []].append(call) }
        }
        codesByClient = Self.codes(of: responses, to: read.requests)
        assertionUses = Self.assertionUses(in: read.all, order: order)
        preflights = Self.preflights(in: capture, order: order)
        openedHosts = Self.openedHosts(of: capture)
    }

    /// The entries by time, and where each stands among them.
    private static func order(of capture: Capture) -> (order: [Int], position: [Int]) {
        let entries = capture.indices.sorted {
            (capture[$0].startedAt.nanoseconds, $0) < (capture[$1].startedAt.nanoseconds, $1)
        }
        let passedOn = ServiceWorkerTwins(capture, order: entries).passedOn
        let order = passedOn.isEmpty ? entries : entries.filter { passedOn[$0] == nil }
        var position = [Int](repeating: 0, count: entries.count)
        for (place, entry) in order.enumerated() { position[entry] = place }
        for (entry, twin) in passedOn { position[entry] = position[twin] }
        return (order, position)
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
