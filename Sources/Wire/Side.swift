/// Which end of a connection bytes come from.
package enum Side: String, Sendable, Hashable {
    case client
    case server

    /// The one that it speaks with.
    package var other: Side { self == .client ? .server : .client }
}
