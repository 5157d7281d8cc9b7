package import Captures
package import OAuth

/// The app's own server, as far as its calls to the provider are in the capture.
///
/// Where they are, a code that it never sends to the token endpoint is a code that it did not want.
package struct BackChannel: Sendable {
    /// The first call of each sender to each origin of a provider, senders being those that are no browser.
    private let calls: [String: [String: Int]]
    private let tokenOrigins: EndpointTable<String>
    /// Where a token was used that no answer of the capture brought, by the provider's origin: it was fetched unseen.
    ///
    /// So is one that was asked for in a request that was saved without its body: nobody knows by which code.
    private let unseenTokens: [String: [Timestamp]]
    /// Where connections went that could not be read: any request may have been among them.
    private let unread: ServerCalls.Unread

    init(_ capture: Capture, order: [Int], messages: [Int: OAuthMessage], metadata: [MetadataDocument]) {
        var seen = ServerCalls()
        for index in order { seen.add(capture[index], messages[index], at: index) }
        calls = seen.first
        unread = seen.unreadConnections
        unseenTokens = seen.unseenTokens
        tokenOrigins = metadata.reduce(into: EndpointTable()) { origins, document in
            guard let authorization = document.endpoint("authorization_endpoint"),
                let token = document.endpoint("token_endpoint").flatMap({ RecordedURL($0).origin })
            else { return }
            origins.update(RecordedURL(authorization), default: token) { $0 = token }
        }
    }

    /// An exchange that shows the app's server asking the provider of a login something else; nil where none does, so that
    /// its token request may have passed by the recorder, or be on a connection that could not be read, and where it used a
    /// token soon afterwards that must have come by such a request, or asked for one in a request without its body.
    package func witness(
        of response: AuthorizationResponse,
        to request: AuthorizationRequest,
        in capture: Capture
    ) -> Int? {
        guard let callback = response.callback,
            let origin = tokenOrigins[request.endpoint]
        else {
            return nil
        }
        guard !unread.isAnywhere, !unread.origins.contains(origin) else { return nil }
        let start = capture[callback].startedAt
        let uses = unseenTokens[origin] ?? []
        let next = uses.partitionPoint { $0 >= start }
        if next < uses.count, uses[next] - start <= .seconds(60) { return nil }
        let browser = ServerCalls.sender(of: capture[callback])
        return calls[origin]?.filter { $0.key != browser }.values.min()
    }
}
