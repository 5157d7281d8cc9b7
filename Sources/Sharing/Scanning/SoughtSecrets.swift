/// What a scan looks for, prepared once for all texts.
struct SoughtSecrets: Sendable {
    let windows: WindowIndex
    /// Of the secrets in the windows.
    let kinds: [Secret.Kind]
    let named: NamedValueIndex
    let words: WordIndex
    /// Those that the words are of.
    let wordSecrets: [Secret]
    /// Those of the secrets that were drawn, in base 85.
    let base85: Base85Index
    /// For each ASCII byte, whether text may have it: printable, white space, and what the secrets have.
    let textBytes: [Bool]

    /// Whether no text is too short for one of them.
    var haveShort: Bool { !named.isEmpty || !words.isEmpty }
}
