import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The refresh tokens of a flow: which answer issued which one, and which refresh replaced it.
struct RefreshHistory {
    /// Refreshes whose token was saved, in order of time.
    let refreshes: [TokenRequest]
    /// Whether the token of a refused refresh was not saved.
    let isIncomplete: Bool
    /// Answers that issued a refresh token, by that token, in order of time.
    private let issuers: [String: [TokenRequest]]
    /// Refreshes by the token they carry.
    private let uses: [String: [TokenRequest]]
    private let flow: Flow

    init(_ flow: Flow) {
        self.flow = flow
        let requests = flow.tokenRequests
        refreshes = requests.filter { $0.isRefresh && !($0.refreshToken ?? "").isEmpty }
        isIncomplete = requests.contains { $0.isRefresh && $0.refreshToken == nil }
        issuers = Dictionary(grouping: requests.filter { $0.issuedRefreshToken != nil }) {
            $0.issuedRefreshToken ?? ""
        }
        uses = Dictionary(grouping: refreshes) { $0.refreshToken ?? "" }
    }

    /// The latest answer before a refresh that issued its token; nil where none was recorded.
    func issuer(of refresh: TokenRequest) -> TokenRequest? {
        guard let token = refresh.refreshToken else { return nil }
        return issuers[token]?.last {
            $0.exchange != refresh.exchange && $0.startedAt <= refresh.startedAt
        }
    }

    /// The answers before a refresh from which its token descends, latest first.
    func ancestors(of refresh: TokenRequest) -> [TokenRequest] {
        var found: [TokenRequest] = []
        var seen: Set<Int> = [refresh.exchange]
        var current = refresh
        while let earlier = issuer(of: current), seen.insert(earlier.exchange).inserted {
            found.append(earlier)
            guard earlier.isRefresh else { break }
            current = earlier
        }
        return found
    }

    /// The refresh with the same token, begun before this one ended, that was answered with another token
    /// in its place.
    func replacement(of refresh: TokenRequest) -> TokenRequest? {
        guard let token = refresh.refreshToken else { return nil }
        return uses[token]?.first { other in
            guard other.exchange != refresh.exchange, other.answer.isSuccess,
                let issued = other.issuedRefreshToken, issued != token
            else { return false }
            return other.startedAt <= refresh.startedAt || overlap(other, refresh)
        }
    }

    /// The last refresh with the same token shortly before this one, whose answer was lost.
    ///
    /// Nil where there is none, where the token was accepted after it, and where the provider is seen to leave tokens in place.
    func unanswered(before refresh: TokenRequest) -> TokenRequest? {
        guard let token = refresh.refreshToken else { return nil }
        let isReplacing = refreshes.allSatisfy { other in
            !other.answer.isSuccess
                || other.issuedRefreshToken.map { $0 != other.refreshToken } ?? false
        }
        guard isReplacing, let others = uses[token] else { return nil }
        let lost = others.last { other in
            other.isAnswerLost && other.startedAt < refresh.startedAt
                && refresh.startedAt - other.startedAt <= Self.longestPause
        }
        return lost.flatMap { lost in
            others.contains { $0.answer.isSuccess && $0.startedAt > lost.startedAt } ? nil : lost
        }
    }

    /// Later a token may have come to its end by itself.
    private static let longestPause = Duration.seconds(600)

    /// Whether the second was sent before the first was answered.
    func overlap(_ one: TokenRequest, _ other: TokenRequest) -> Bool {
        one.startedAt < flow.capture[other.exchange].endedAt
            && other.startedAt < flow.capture[one.exchange].endedAt
    }
}
