package import Captures

/// A request that a provider has to make of its own accord: it opens no connection itself, and whoever runs it sends it.
package struct ProviderNotice: Sendable {
    /// To a host of this machine.
    package let request: RecordedRequest
    /// How long it waits, so that whoever is told has the answer that it follows from.
    package var delay: Duration = .zero
}

extension ProviderNotice {
    /// Users take their time; and the client has to have its answer before it is told.
    private static let backchannelDelay: Duration = .milliseconds(500)

    /// To a client that is told of what its user decided elsewhere, by its own token (OpenID Connect CIBA, section 10).
    init(backchannel body: Body?, to endpoint: String, with token: String) {
        let request = RecordedRequest(
            method: "POST",
            url: RecordedURL(endpoint),
            headers: HeaderFields([
                ("Content-Type", "application/json"), ("Authorization", "Bearer \(token)"),
            ]),
            body: body
        )
        self.init(request: request, delay: Self.backchannelDelay)
    }
}
