import Captures
import Flows

/// What the numbers and sentences mean by which providers tell of a refusal, and what is to be changed then.
///
/// Asked where a rule has nothing of its own to say of a refusal but to quote it. A number of Entra's counts as a whole; sentences are
/// searched for as they stand, and not as pieces of longer words and numbers.
enum ProviderWords {
    /// One of a provider's words.
    struct Known: Sendable {
        /// Each of which says it, in lower case.
        var texts: [String]
        /// Those that say it where they begin a message, in lower case; in a longer text the message's name stands before it (`message=`).
        var messages: [String]
        /// The one that means it so, where others say the same of something else.
        var provider: ProviderKind?
        var explanation: String
        var fix: String

        init(
            _ texts: String...,
            messages: [String] = [],
            of provider: ProviderKind? = nil,
            explanation: String,
            fix: String
        ) {
            self.texts = texts + messages.map { "message=" + $0 }
            self.messages = messages
            self.provider = provider
            self.explanation = explanation
            self.fix = fix
        }
    }

    /// Nil of a text in which no such word stands, or one that means it at another provider alone.
    ///
    /// `isMessage`: the text is all that the provider says, in a member of that name or by itself.
    static func meaning(of text: String, by provider: ProviderKind, isMessage: Bool = false)
        -> Violation.Words?
    {
        let lower = text.prefixBytes(longest).asciiLowercased()
        let known =
            numbers(in: lower).lazy.compactMap { ofEntra[$0] }.first
            ?? sentence(in: lower, by: provider, isMessage: isMessage)
        return known.map { Violation.Words(explanation: $0.explanation, fix: $0.fix) }
    }

    /// Pages of errors are short, and a refusal says at its beginning what it is.
    private static let longest = 4096

    private static func sentence(in text: String, by provider: ProviderKind, isMessage: Bool) -> Known? {
        sentences.first { known in
            known.provider.map { $0 == provider } ?? true
                && (known.texts.contains { stands($0, in: text) }
                    || isMessage && known.messages.contains { begins(text, with: $0) })
        }
    }

    private static func begins(_ text: String, with words: String) -> Bool {
        text.utf8.starts(with: words.utf8)
            && !(isInWord(words.utf8.last) && isInWord(text.utf8.dropFirst(words.utf8.count).first))
    }

    private static func stands(_ words: String, in text: String) -> Bool {
        guard text.containsBytes(words) else { return false }
        return text.ranges(of: words).prefix(8).contains { range in
            !(isInWord(words.utf8.first) && isInWord(text.utf8[..<range.lowerBound].last))
                && !(isInWord(words.utf8.last) && isInWord(text.utf8[range.upperBound...].first))
        }
    }

    private static func isInWord(_ byte: UInt8?) -> Bool {
        byte.map { $0.isASCIIAlphanumeric || $0 == 0x5f } ?? false
    }

    /// Entra's numbers in a text, the first next.
    private static func numbers(in text: String) -> [String] {
        text.ranges(of: prefix).prefix(8).map { range in
            String(text[range.upperBound...].prefix(9).prefix { $0.isASCII && $0.isNumber })
        }
    }

    private static let prefix = "aadsts"

    private static let ofEntra = Dictionary(
        entra.flatMap { known in known.texts.map { ($0, known) } },
        uniquingKeysWith: { first, _ in first }
    )

    private static let sentences = servers + services
}

extension Violation {
    /// The same with what the provider's words mean, where the rule has no words of its own for this case and is one that quotes
    /// providers.
    func explained(by provider: ProviderKind, to rule: String) -> Violation {
        guard explanation == nil, title == nil, Self.quoting.contains(rule) else { return self }
        var told = self
        for evidence in evidence where evidence.place.exchange != nil && !Self.isOfNames(evidence.place) {
            guard let words = ProviderWords.meaning(of: evidence.value, by: provider) else { continue }
            told.explanation = words.explanation
            told.fix = fix ?? words.fix
            return told
        }
        return self
    }

    /// Whether what stands there is which parameters were sent, of which the provider has said nothing.
    private static func isOfNames(_ place: Place) -> Bool {
        place.name.isEmpty && (place.part == .requestBody || place.part == .requestQuery)
    }

    /// Rules that tell what was answered.
    private static let quoting: Set<String> = [
        "access-denied-by-policy", "authorization-error", "client-auth-missing", "discovery-unreachable",
        "par-rejected", "provider-server-error", "scope-rejected", "token-endpoint-error",
        "token-invalid-client", "token-invalid-grant",
    ]
}
