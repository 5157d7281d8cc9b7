package import Captures

/// A request that a provider has to make of its own accord: it opens no connection itself, and whoever runs it sends it.
package struct ProviderNotice: Sendable {
    /// To a host of this machine.
    package let request: RecordedRequest
    /// How long it waits, so that whoever is told has the answer that it follows from.
    package var delay: Duration = .zero
}
