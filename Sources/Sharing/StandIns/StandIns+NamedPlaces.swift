import Captures

/// Writes stand-ins where a name says that a secret stands there.
extension StandIns {
    /// The walker that writes stand-ins into named places.
    var walker: TextWalker { TextWalker(memory: memory) { [unowned self] in visit($0) } }

    func visit(_ value: NamedText) -> [UInt8]? {
        let text = value.readable
        guard !text.isEmpty else { return nil }
        guard !options.keptNames.contains(value.name) else { return value.bytes }
        // Keys are found by it, whatever it was made of.
        guard value.name != "kid" || found.named[NamedValue("kid", text)] != nil else { return nil }
        guard isSecret(text, named: value.name) else { return nil }
        tally.note(text, named: value.name)
        return value.encoded(standIn(for: text))
    }

    func isSecret(_ text: String, named name: String) -> Bool {
        keys.replacements[text] != nil || found.kind(of: text) != nil
            || found.named[NamedValue(name, text)] != nil
            || found.accountNumbers.contains(text) && AccountNames.isName(name)
    }
}
