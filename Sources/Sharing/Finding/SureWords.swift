import Captures

/// Texts that are replaced wherever they stand, although they are too short, or too much like a word, to be told from others by
/// their look: what somebody asked for, and what is known for a password or a secret.
struct SureWords {
    private(set) var texts: [String] = []
    private(set) var boundaries: [WordIndex.Boundary] = []

    /// Shorter ones, somebody's PIN, are secret where they are named.
    static let shortest = 6
    /// Shorter ones are met in the middle of others by chance.
    private static let shortestAnywhere = 4

    /// Takes them with what may stand beside each.
    ///
    /// `accounts`: numbers that are replaced behind what names an account only.
    /// `segments`: words that are replaced behind `/users/` only.
    init(
        asked: some Sequence<String>,
        known: some Sequence<String>,
        accounts: some Sequence<String> = EmptyCollection(),
        segments: some Sequence<String> = EmptyCollection()
    ) {
        for text in asked {
            texts.append(text)
            boundaries.append(text.utf8.count < Self.shortestAnywhere ? .word : .none)
        }
        for text in known {
            texts.append(text)
            boundaries.append(text.utf8.allSatisfy { $0.isASCIIDigit } ? .number : .word)
        }
        for text in accounts {
            texts.append(text)
            boundaries.append(.account)
        }
        for text in segments {
            texts.append(text)
            boundaries.append(.segment)
        }
    }

    /// Whether a text may be the number of an account: fewer digits number other things as well.
    static func isAccountNumber(_ text: some Collection<UInt8>) -> Bool {
        text.count >= shortest && text.allSatisfy { $0.isASCIIDigit }
    }

    /// Whether what is secret of this kind is so wherever it stands.
    static func isSure(_ kind: Secret.Kind) -> Bool {
        kind.isChosen
            || [
                .accessToken, .refreshToken, .token, .apiKey, .credentials, .authorizationCode, .deviceCode,
                .userCode,
            ]
            .contains(kind)
    }

    /// Whether a text of this kind is told from others by its length: a password of letters and digits by one character less.
    static func isLongEnough(_ text: some Collection<UInt8>, _ kind: Secret.Kind) -> Bool {
        text.count >= shortest
            || kind == .password && text.count == shortest - 1 && text.contains(where: \.isASCIIDigit)
                && text.contains(where: \.isASCIILetter)
    }

    /// Words that pages and protocols are made of, and that are a bad password.
    static func isCommon(_ text: String) -> Bool {
        PersonNames.isCommon(text) || common.contains(text.lowercased())
    }

    private static let common: Set<String> = [
        "password", "passwd", "secret", "client", "bearer", "invalid", "missing", "required", "optional",
        "hidden",
        "submit", "button", "string", "number", "object", "boolean", "change", "changeme", "letmein",
        "welcome",
        "undefined", "redacted", "example", "disabled", "enabled", "session", "cookie", "request", "response",
        "authorization", "content", "application", "provider", "localhost", "oauth2", "unauthorized",
        "forbidden",
        "credentials", "signin", "sign-in", "logout", "continue", "cancel", "success", "failed", "failure",
    ]
}
