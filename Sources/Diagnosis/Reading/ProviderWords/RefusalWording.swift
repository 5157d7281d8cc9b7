import Captures

/// How providers word a refusal for which they have no name: what they speak of, and in the same sentence what is wrong with
/// it.
///
/// A name in a list of what was sent (`redirect_uri=https://…`, `"redirect_uri":"…"`) says nothing of it.
enum RefusalWording {
    /// The words, in lower case, by which a text says that the redirect URI is not one that is known.
    ///
    /// - Parameter text: what a person reads on a page of errors, or the text of an error.
    /// - Returns: nil where it says no such thing.
    static func unknownRedirectURI(in text: String) -> String? {
        words(in: text, of: redirectURIs, known: refusals, before: adjectives, besides: ["scope"])
    }

    /// The words, in lower case, by which a text says that the client is not one that is known.
    static func unknownClient(in text: String) -> String? {
        words(
            in: text,
            of: ["client_id", "client id", "client"],
            known: [
                "does not exist", "doesn't exist", "not found", "not registered", "is unknown", "not known",
            ],
            before: ["unknown", "unregistered", "nonexistent", "non-existent"],
            besides: otherThings
        )
    }

    /// The words, in lower case, by which a text says that a scope is not one that may be asked for.
    static func refusedScope(in text: String) -> String? {
        words(
            in: text,
            of: ["scope"],
            known: refusalsOfScopes,
            before: adjectivesOfScopes,
            besides: ["redirect"]
        )
    }

    // MARK: - Sentences

    /// From what is spoken of to what is wrong with it, or the reverse where an adjective says it.
    private static func words(
        in text: String,
        of subjects: [String],
        known failures: [String],
        before adjectives: [String],
        besides others: [String]
    ) -> String? {
        guard text.utf8.count < largest else { return nil }
        for sentence in sentences(of: text.asciiLowercased()) {
            guard !others.contains(where: sentence.containsBytes) else { continue }
            for subject in subjects {
                for range in sentence.ranges(of: subject) where isSpokenOf(range, in: sentence) {
                    let behind = sentence[range.upperBound...].prefix(reach)
                    if let failure = failures.compactMap({ behind.firstRange(of: $0) }).min(by: isEarlier) {
                        return String(sentence[range.lowerBound..<failure.upperBound])
                    }
                    let ahead = sentence[..<range.lowerBound].suffix(nearness)
                    if let adjective = adjectives.compactMap({ place(of: $0, in: ahead) }).min(by: isEarlier),
                        isWord(adjective.lowerBound, in: sentence)
                    {
                        return String(sentence[adjective.lowerBound..<range.upperBound])
                    }
                }
            }
        }
        return nil
    }

    /// A verb, which ends in a space, has the name right behind it: who has no access to a callback URL does not speak of that.
    private static func place(of adjective: String, in ahead: Substring) -> Range<String.Index>? {
        guard adjective.hasSuffix(" ") else { return ahead.firstRange(of: adjective) }
        guard ahead.hasSuffix(adjective) else { return nil }
        return ahead.index(ahead.endIndex, offsetBy: -adjective.count)..<ahead.endIndex
    }

    private static func sentences(of text: String) -> [String] {
        // Pages have the apostrophe of print, and Chinese ones a full stop and a semicolon of their own.
        let text = text.containsBytes("\u{2019}") ? text.replacing("\u{2019}", with: "'") : text
        return [". ", "\",\"", "; ", "\u{3002}", "\u{ff1b}"].reduce([text]) { parts, end in
            parts.flatMap { $0.split(separator: end).map(String.init) }
        }
    }

    /// Whether a name stands for itself: a word of its own, and not one that a value follows.
    private static func isSpokenOf(_ range: Range<String.Index>, in sentence: String) -> Bool {
        guard isWord(range.lowerBound, in: sentence) else { return false }
        let rest = sentence[range.upperBound...]
        if let next = rest.unicodeScalars.first, next == "=" || next == "_" { return false }
        return !rest.hasPrefix("\":") && !rest.hasPrefix("\" :") && !rest.hasPrefix("%3d")
    }

    private static func isWord(_ start: String.Index, in sentence: String) -> Bool {
        guard start > sentence.startIndex else { return true }
        let before = sentence[sentence.index(before: start)]
        return !before.isLetter && before != "_"
    }

    private static func isEarlier(_ left: Range<String.Index>, _ right: Range<String.Index>) -> Bool {
        left.lowerBound < right.lowerBound
    }

    /// Texts of errors are short.
    private static let largest = 1 << 14
    /// The address itself may stand between what is spoken of and what is said of it.
    private static let reach = 200
    private static let nearness = 24

    // MARK: - Words, in lower case

    private static let redirectURIs = [
        "redirect_uri", "redirect uri", "redirect url", "redirect_url", "redirecturi", "redirection uri",
        "redirection url", "callback url", "callback uri", "reply url", "reply address", "return url",
        "redirect:", "重定向 uri",
    ]
    private static let refusals = [
        "mismatch", "not match", "n't match", "must match", "must exactly match", "not registered",
        "n't registered", "not been registered",
        "unregistered", "not in the list", "not on the list", "not one of", "not among", "not listed",
        "not allowed", "n't allowed", "not permitted", "not whitelisted", "not allowlisted", "not valid",
        "not a valid", "not a registered", "n't valid", "invalid", "not recogni", "not authori",
        "not approved", "unknown", "not known",
        "not configured", "not found", "not associated", "not belong", "not accepted", "not exist in",
        "n't exist in", "not supported by client", "参数错误", "不合法", "未找到",
    ]
    private static let adjectives = [
        "invalid", "mismatching", "mismatched", "unregistered", "unknown", "illegal", "unauthorized",
        "unauthorised", "disallowed", "incorrect", "wrong", "faulty", "insecure", "doesn't have ",
        "does not have ",
        "doesn't have the ", "does not have the ",
    ]
    private static let refusalsOfScopes = [
        "is invalid", "are invalid", "were invalid", "not valid", "n't valid", "not allowed", "n't allowed",
        "not permitted",
        "not authorized", "not authorised", "not supported", "not enabled", "not configured",
        "not registered",
        "not recogni", "is unknown", "not known", "not found", "not exist", "n't exist", "n't match",
        "not match",
    ]
    private static let adjectivesOfScopes = [
        "invalid", "unknown", "unsupported", "unauthorized", "unauthorised", "disallowed", "illegal",
        "malformed",
    ]
    /// What else may be unknown where a client is spoken of.
    private static let otherThings = [
        "redirect", "callback", "scope", "grant", "response_type", "response type", "secret", "certificate",
        "assertion", "user", "key", "resource", "url",
    ]
}
