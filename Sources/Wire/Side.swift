/// Which end of a connection bytes come from.
package enum Side: String, Sendable, Hashable {
    case client
    case server
}
