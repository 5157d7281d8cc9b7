import Captures

/// What a provider answered while one login was driven.
package struct ProviderSighting: Sendable, Equatable {
    /// In order; no more than ``limit``.
    package private(set) var answers: [AnswerKind] = []
    /// How many of them were given before the first one that a fault made wrong; nil where none was.
    package private(set) var brokenAfter: Int?
    /// Faults that would have found something to make wrong, of those that were only asked about.
    package private(set) var occasions: Set<String> = []

    /// A login has some dozens.
    private static let limit = 10_000

    package init() {}

    /// Takes note of the next answer.
    package mutating func note(_ answer: ProviderAnswer) {
        if brokenAfter == nil, !answer.broken.isEmpty { brokenAfter = answers.count }
        occasions.formUnion(answer.occasions)
        if answers.count < Self.limit { answers.append(answer.kind) }
    }

    /// What the first answer was about that a fault made wrong; nil where none was.
    package var firstBroken: AnswerKind? {
        brokenAfter.flatMap { $0 < answers.count ? answers[$0] : nil }
    }

    /// Whether a login took place at all: documents alone are none.
    package var hasLogin: Bool {
        answers.contains { AnswerKind.allTokens.contains($0) || $0 == .authorizationResponse }
    }

    /// What was asked for after the first wrong answer, each once, without pages.
    package var wentOn: [AnswerKind] {
        guard let brokenAfter else { return [] }
        return answers.dropFirst(brokenAfter + 1).filter { $0 != .other }.eachOnce()
    }
}

/// One login that a command drove.
package struct DrivenLogin: Sendable, Equatable {
    /// How the command ended: its exit status, or the number of the signal that it died of.
    package enum Ending: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)
        /// It took too long, and was ended.
        case timedOut
    }

    package var ending: Ending
    package var duration: Duration
    package var sighting: ProviderSighting
    /// The end of what the command printed, line by line: not to be trusted.
    package var lastWords: [String]

    package init(
        ending: Ending,
        duration: Duration,
        sighting: ProviderSighting = ProviderSighting(),
        lastWords: [String] = []
    ) {
        self.ending = ending
        self.duration = duration
        self.sighting = sighting
        self.lastWords = lastWords
    }

    /// Whether the login went through: the command says so.
    package var succeeded: Bool { ending == .exited(0) }
}
