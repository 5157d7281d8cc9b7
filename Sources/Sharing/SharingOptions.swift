/// What a person wants otherwise than usual.
package struct SharingOptions: Sendable {
    /// Names of e-mail addresses, people and the like stay.
    package var keepsPersonal = false
    /// Values under these names stay.
    package var keptNames: Set<String> = []
    /// What they match is secret, too.
    package var alsoPatterns: [Regex<AnyRegexOutput>] { alsoSources.compactMap { try? Regex($0) } }
    /// The patterns' texts.
    package var alsoSources: [String] = []
    /// Exchanges that belong to no flow are kept.
    package var keepsAll = false

    /// All times are moved by one offset that is drawn for this once.
    package var shiftsTimes = false

    package init() {}
}
