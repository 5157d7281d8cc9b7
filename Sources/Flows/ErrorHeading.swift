package import Captures
package import OAuth

/// A page that says in its title or in a heading that something went wrong, or has the number of a message that does, and leaves
/// nothing to fill in.
///
/// A sign-in form that comes again with a message is none: the user has another try.
package enum ErrorHeading {
    /// The heading, or the number that a script finds the words for; nil for any other page.
    ///
    /// `mayHaveNumber`: whether an attribute for such a number may be on the page.
    static func of(_ page: [UInt8], mayHaveNumber: Bool) -> String? {
        guard page.count < largest else { return nil }
        let heading = HTMLHeadings.all(in: page).first(where: isOne) ?? opening(of: page)
        guard heading != nil || mayHaveNumber, !HTMLForm.isAsking(in: page) else { return nil }
        return heading ?? HTMLAlert.first(in: page)
    }

    /// Whether the page at a redirect URI is headed so; one that goes on to exchange the code itself has only a name of that
    /// kind.
    ///
    /// `redeemed`: when each code was exchanged with success (``redemptions(of:)``).
    package static func isShown(
        at callback: Int,
        of code: String?,
        redeemed: [String: Timestamp],
        in index: CaptureIndex
    ) -> Bool {
        guard let response = index.capture[callback].response, response.location == nil,
            index.page(callback)?.errorHeading != nil
        else { return false }
        return code.flatMap { redeemed[$0] }.map { $0 < index.capture[callback].endedAt } ?? true
    }

    /// When codes were exchanged with success, by the code; the last time where there are several.
    package static func redemptions(of tokens: [TokenRequest]) -> [String: Timestamp] {
        tokens.reduce(into: [:]) { times, request in
            guard let code = request.code, request.answer.isSuccess else { return }
            times[code] = max(times[code] ?? request.startedAt, request.startedAt)
        }
    }

    /// The first sentence of a page of a few words without a heading, where it says that somebody could not be signed in.
    private static func opening(of page: [UInt8]) -> String? {
        guard page.count < mostWords, let words = HTMLText.openingSentence(of: page, limit: longestSentence),
            isOne(words), FailedLoginNotice.isOne(words)
        else { return nil }
        let lower = words.lowercased()
        return completions.contains(where: lower.containsBytes) ? nil : words
    }

    /// What pages say of a login that went well, with an error that there was not, or of their window.
    private static let completions = [
        "success", "complete", "abgeschlossen", "no error", "without", "keine ", "ohne ", "you are logged",
        "you are signed",
        "you are now", "you have ", "have been", "logged in to", "signed in to", "close",
    ]

    /// In bytes.
    private static let mostWords = 2 << 10
    private static let longestSentence = 120

    /// Whether a heading tells of an error; a question offers help ("Unable to sign in?").
    private static func isOne(_ heading: String) -> Bool {
        guard heading.utf8.last != 0x3f else { return false }
        let lower = heading.lowercased()
        return phrases.contains(where: lower.containsBytes)
            || lower.split { !$0.isLetter }.contains { words.contains(String($0)) } || ShutOut.isOne(heading)
    }

    /// Pages of errors are short.
    private static let largest = 1 << 17

    private static let words: Set<String> = [
        "error", "errors", "oops", "sorry", "denied", "failed", "failure", "invalid", "expired", "forbidden",
        "unauthorized", "fehler", "erreur", "errore", "erro",
    ]
    private static let phrases = [
        "went wrong", "bad request", "not authorized", "not allowed", "unable to", "could not", "timed out",
    ]
}
