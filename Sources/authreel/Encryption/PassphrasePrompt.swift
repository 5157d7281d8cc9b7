import Sharing

/// Asks for passphrases: once to open a file, twice to encrypt one.
struct PassphrasePrompt {
    /// Puts a question to somebody, who answers unseen; nil where nobody can be asked.
    let ask: (String) throws -> String?

    /// Asks the person at the terminal.
    static var terminal: PassphrasePrompt { PassphrasePrompt { try SecretPrompt.ask($0) } }

    /// The passphrase of a file that there is.
    ///
    /// - Throws: ``CommandFailure`` when nobody can be asked, or nothing was answered.
    func passphrase(of name: String) throws -> String {
        guard let answer = try ask("Passphrase of \(name): ") else {
            throw CommandFailure(
                .usage,
                "\(name): encrypted with a passphrase, and there is no terminal to ask for it on",
                hint: "run it on a terminal, or have it encrypted for your key: --identity FILE opens it then"
            )
        }
        guard !answer.isEmpty else { throw CommandFailure(AgeError.emptyPassphrase, in: name) }
        return answer
    }

    /// A new passphrase, typed twice: a slip that nobody sees would close the file for good.
    ///
    /// - Throws: ``CommandFailure`` when nobody can be asked, nothing was answered, or the two are not the same.
    func newPassphrase() throws -> String {
        guard let first = try ask("Passphrase: ") else { throw Self.noTerminal }
        guard !first.isEmpty else { throw CommandFailure(AgeError.emptyPassphrase) }
        guard let second = try ask("The same once more: ") else { throw Self.noTerminal }
        // As bytes: that is what opens the file, and equal letters can be spelt with other ones.
        guard first.utf8.elementsEqual(second.utf8) else {
            throw CommandFailure(
                .usage,
                "the two passphrases are not the same",
                hint: "run it again; nothing was written"
            )
        }
        return first
    }

    private static var noTerminal: CommandFailure {
        CommandFailure(
            .usage,
            "--encrypt-to passphrase needs a terminal to ask on",
            hint: "--encrypt-to age1… encrypts for a key, and asks nothing"
        )
    }
}
