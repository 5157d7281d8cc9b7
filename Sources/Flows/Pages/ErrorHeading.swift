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
        let heading = HTMLHeadings.all(in: page).first(where: isOne) ?? opening(of: page) ?? crash(on: page)
        guard heading != nil || mayHaveNumber, !HTMLForm.isAsking(in: page) else { return nil }
        return heading ?? HTMLAlert.first(in: page)
    }

    /// Whether the page at a redirect URI is headed so, or tells the window that opened it of an error; one that goes on to exchange the
    /// code itself has only a name of that kind.
    ///
    /// `redeemed`: when each code was exchanged with success (``redemptions(of:)``).
    package static func isShown(
        at callback: Int,
        of code: String?,
        redeemed: [String: Timestamp],
        in index: CaptureIndex
    ) -> Bool {
        guard let response = index.capture[callback].response, response.location == nil,
            index.page(callback)?.errorHeading != nil || isNothingElse(response.body)
                || OpenerMessage.error(on: response.body) != nil
        else { return false }
        return code.flatMap { redeemed[$0] }.map { $0 < index.capture[callback].endedAt } ?? true
    }

    /// Whether a body is an error as a whole: JSON that says so, or a line that does.
    private static func isNothingElse(_ body: Body?) -> Bool {
        if StatedFailure.isOne(body) { return true }
        guard let body, let bytes = body.bytes, bytes.count < mostWords,
            body.isPage || body.essence == "text/plain",
            let words = HTMLText.opening(of: bytes, limit: bytes.count), words.utf8.count <= longestSentence
        else { return false }
        let lower = words.lowercased()
        guard !completions.contains(where: lower.containsBytes) else { return false }
        // What the examples of libraries end with.
        return FailedLoginNotice.isOne(words) || lower.hasPrefix("oh dear")
            || oauthErrors.contains(where: lower.containsBytes)
            || (states + addresses).contains(where: lower.containsBytes)
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

    /// What PHP writes into a page whose script has ended by an exception.
    private static func crash(on page: [UInt8]) -> String? {
        page.withUnsafeBufferPointer { bytes in
            guard let start = ByteSearch.index(of: "<b>Fatal error</b>", in: bytes) else { return nil }
            let rest = UnsafeBufferPointer(rebasing: bytes[start...].prefix(longestSentence * 4))
            guard ByteSearch.index(of: "Uncaught ", in: rest) != nil else { return nil }
            return HTMLText.opening(of: Array(rest), limit: longestSentence * 2)
        }
    }

    /// What pages say of a login that went well, with an error that there was not, or of their window.
    private static let completions = [
        "success", "complete", "abgeschlossen", "no error", "without", "keine ", "ohne ", "you are logged",
        "you are signed",
        "you are now", "you have ", "signing you in", "if nothing happens", "have been", "logged in to",
        "signed in to", "close",
    ]

    private static let states = [
        "invalid state", "state mismatch", "mismatching state", "state is invalid", "invalid oauth state",
        "state does not match", "state parameter",
    ]
    /// Of where the app was to be called back, or to go on to.
    private static let addresses = [
        "invalid uri", "invalid redirect", "invalid callback", "invalid return url",
    ]
    /// What only a token endpoint says.
    private static let oauthErrors = ["invalid_client", "invalid_grant", "unauthorized_client", "aadsts"]

    /// In bytes.
    private static let mostWords = 2 << 10
    private static let longestSentence = 120

    /// Whether a heading tells of an error; a question offers help ("Unable to sign in?").
    static func isOne(_ heading: String) -> Bool {
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
        "went wrong", "bad request", "not authorized", "not allowed", "unable to", "could not", "couldn't",
        "couldn\u{2019}t", "timed out",
    ]
}
