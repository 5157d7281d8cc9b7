import Captures
import JSON
import OAuth

/// What goes wrong below the protocol.
enum TransportFaults {
    static let list: [Fault] = [
        Fault(
            "rate-limited",
            "The token endpoint answers 429: try again in a minute.",
            of: AnswerKind.allTokens,
            .answer { answer, context in
                guard context.role == .token else { return }
                answer.fail(429, "temporarily_unavailable", "too many requests")
                answer.headers.append("Retry-After", "60")
            }
        ),
        Fault(
            "slow",
            "The answer to a token request comes after 20 seconds.",
            of: AnswerKind.allTokens,
            .delivery(.late(.seconds(20)))
        ),
        Fault("hanging", "A token request is never answered.", of: AnswerKind.allTokens, .delivery(.never)),
        Fault(
            "truncated",
            "The connection is closed in the middle of a token response.",
            of: AnswerKind.allTokens,
            .delivery(.cutShort)
        ),
    ]
}

extension RecordedResponse {
    /// The first half of its body, as if that were all.
    mutating func truncateBody() {
        guard let bytes = body?.bytes else { return }
        let half = Array(bytes.prefix(bytes.count / 2))
        body = Body(content: .bytes(half), mediaType: body?.mediaType, size: half.count)
    }
}
