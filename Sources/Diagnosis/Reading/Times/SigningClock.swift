import Captures
import JOSE

/// What the times in something that a client signed for a request (an assertion, a proof) tell of the clock it was signed by.
struct SigningClock {
    /// Seconds by which it was signed after the server got it, by the server's clock; negative where it was signed before.
    var ahead: Int64
    /// Whether another one that the same client signed is off by as much: a clock is, what was kept is not.
    var isRepeated: Bool
    /// Whether the time is in milliseconds, which tells nothing of the clock.
    var isInMilliseconds: Bool

    /// Nil where the statement names no time, or one as near as a delay of the network explains.
    ///
    /// - Parameters:
    ///   - token: what was signed.
    ///   - now: the server's time in seconds.
    ///   - previous: the difference of the one that was signed before it, in seconds; nil where there is none.
    init?(of token: JSONWebToken, at now: Int64, previous: Int64?) {
        guard let start = token.issuedAt ?? token.notBefore, abs(start - now) > Self.delay else { return nil }
        ahead = start - now
        isInMilliseconds = Self.isInMilliseconds(start)
        isRepeated = previous.map { [ahead] in abs($0 - ahead) <= Self.delay } ?? false
    }

    private static let delay: Int64 = 30

    /// Whether a time is so far ahead that it can only be meant in milliseconds: as seconds it would be past the year 2600.
    static func isInMilliseconds(_ time: Int64) -> Bool { time > 20_000_000_000 }

    /// What evidence says of such a time.
    static let inMilliseconds = "milliseconds; seconds are expected"

    /// Whether nothing but a wrong clock explains it: nothing is signed in the future.
    var isCertain: Bool { !isInMilliseconds && (ahead > 0 || isRepeated) }

    var variant: String? { isCertain ? "clock" : nil }

    /// `what`: `client assertion` or `DPoP proof`.
    func explanation(of what: String) -> String {
        if isInMilliseconds {
            return """
                The times in the \(what) are milliseconds. They are to be seconds since 1970 (NumericDate, RFC 7519 §2): read so, it was signed \
                in thousands of years.
                """
        }
        let span = Span.text(ahead)
        if isCertain {
            return """
                By the provider's clock the \(what) was signed \(span) \(ahead > 0 ? "in the future" : "before it was sent, as others were"): \
                the clock of the machine that signs is \(span) \(ahead > 0 ? "fast" : "slow").
                """
        }
        return """
            By the provider's clock the \(what) was signed \(span) before it was sent: either the clock of the machine that signs is slow by \
            as much, or it was signed beforehand and kept.
            """
    }

    func title(of what: String) -> String? {
        if isInMilliseconds { return "The \(what) has its times in milliseconds" }
        return isCertain ? "The \(what) was signed by a wrong clock" : nil
    }

    var fix: String? {
        if isInMilliseconds { return "Write iat, nbf and exp in seconds, not in milliseconds." }
        let clock = """
            Set the clock of the machine that signs, by network time. Where that is a device of the user's, let the app reckon with the \
            difference between its own time and the Date of the provider's answers.
            """
        return isCertain
            ? clock
            : "Make and sign a new one for every request, when it is sent. Where that is done: \(clock)"
    }
}
