import Captures
import JOSE

/// What stays the same while a provider answers one request: who it is and whom it knows, how it speaks, what it is to do, and what
/// time it is.
///
/// What it remembers is the ``ProviderState``, of which whoever looks at a request is given no more than it needs.
struct ProviderContext: Sendable {
    let configuration: ProviderConfiguration
    let dialect: ProviderDialect
    let policy: ProviderPolicy
    /// So many random bytes.
    let random: @Sendable (Int) -> [UInt8]
    let now: Timestamp

    /// By what tokens name this provider.
    var names: ProviderNames { ProviderNames(configuration, dialect) }

    // MARK: - Making values

    /// A fresh value in the shape that the recording shows for a parameter.
    func fresh(_ name: String) -> String { dialect.shapes.fresh(name, random) }

    /// A value that never leaves.
    func identifier() -> String { Base64URL.encode(random(12)) }
}
