/// Words of a command line as a POSIX shell has to be given them.
package enum ShellWord {
    /// The word, in quotes where a shell would change it.
    ///
    /// Control characters, which a terminal would obey, are spelled as `$'\x1b'` (bash, zsh, POSIX 2024).
    package static func quoted(_ word: String) -> String {
        let isPlain =
            word.utf8.allSatisfy(Self.isPlain) && !word.isEmpty && !word.hasPrefix("=")
        if isPlain { return word }
        guard word.unicodeScalars.contains(where: Self.isControl) else {
            return "'" + word.replacingBytes("'", with: "'\\''") + "'"
        }
        var text = "$'"
        for scalar in word.unicodeScalars {
            switch scalar {
            case "'", "\\": text += "\\" + String(scalar)
            case _ where isControl(scalar):
                for byte in String(scalar).utf8 { text += "\\x" + Hexadecimal.encode([byte]) }
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "'"
    }

    /// The words of a command with blanks between them.
    package static func line(_ command: [String]) -> String { command.map(quoted).joined(separator: " ") }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "_@%+=:,./-".utf8.contains(byte)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
            || scalar.properties.generalCategory == .lineSeparator
            || scalar.properties.generalCategory == .paragraphSeparator
    }
}
