import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The refresh tokens of a flow: which answer issued which one, and which refresh replaced it.
struct RefreshHistory: Sendable {
    /// Refreshes whose token was saved, in order of time.
    let refreshes: [TokenRequest]
    /// Whether the token of a refused refresh was not saved.
    let isIncomplete: Bool
    /// Answers that issued a refresh token, by that token, in order of time.
    private let issuers: [String: [TokenRequest]]
    /// What was done with a token, by that token.
    private let uses: [String: Uses]
    /// Whether each refresh that was granted brought another token in the place of its own.
    private let isReplacing: Bool
    /// The first answer of the line that a refresh's token descends from, by the place of the refresh.
    private let origins: [Int: TokenRequest]
    private let capture: Capture
    private let position: [Int]

    /// In order of time.
    private struct Uses: Sendable {
        /// Granted with another token in its place.
        var replacing: [TokenRequest] = []
        var unanswered: [TokenRequest] = []
        /// Of which nothing says whether they arrived.
        var timedOut: [TokenRequest] = []
        /// When it was accepted last.
        var accepted: Timestamp?
    }

    fileprivate init(_ flow: Flow) {
        capture = flow.capture
        position = flow.surroundings.position
        let requests = flow.tokenRequests
        refreshes = requests.filter { $0.isRefresh && !($0.refreshToken ?? "").isEmpty }
        isIncomplete = requests.contains { $0.isRefresh && $0.refreshToken == nil }
        issuers = Dictionary(grouping: requests.filter { $0.issuedRefreshToken != nil }) {
            $0.issuedRefreshToken ?? ""
        }
        var uses: [String: Uses] = [:]
        var isReplacing = true
        for refresh in refreshes {
            guard let token = refresh.refreshToken else { continue }
            let isReplaced = refresh.issuedRefreshToken.map { $0 != token } ?? false
            let isLost = Self.isLost(refresh)
            if refresh.answer.isSuccess, !isLost {
                isReplacing = isReplacing && isReplaced
                if isReplaced { uses[token, default: Uses()].replacing.append(refresh) }
                uses[token, default: Uses()].accepted = refresh.startedAt
            }
            if isLost { uses[token, default: Uses()].unanswered.append(refresh) }
            if refresh.mayHaveArrived { uses[token, default: Uses()].timedOut.append(refresh) }
        }
        self.uses = uses
        self.isReplacing = isReplacing
        // Each before those that descend from it.
        var origins: [Int: TokenRequest] = [:]
        for refresh in refreshes {
            guard let issuer = Self.issuer(of: refresh, among: issuers, position) else { continue }
            origins[refresh.exchange] = issuer.isRefresh ? origins[issuer.exchange] ?? issuer : issuer
        }
        self.origins = origins
    }

    /// Whether the answer did not get to the app, or not all of it: the connection broke, or the app went before it came, as one does
    /// that the system suspends.
    private static func isLost(_ refresh: TokenRequest) -> Bool {
        if refresh.isAnswerLost { return true }
        guard let status = refresh.answer.status else {
            return refresh.answer.failure.map(FailedRequest.isDeparture) ?? false
        }
        return (200..<300).contains(status) && refresh.answer.isBrokenOff && refresh.answer.parameters.isEmpty
    }

    /// The latest answer before a refresh that issued its token; nil where none was recorded.
    ///
    /// Of the same instant it is one that stands before the refresh in the capture.
    func issuer(of refresh: TokenRequest) -> TokenRequest? {
        Self.issuer(of: refresh, among: issuers, position)
    }

    private static func issuer(
        of refresh: TokenRequest,
        among issuers: [String: [TokenRequest]],
        _ position: [Int]
    ) -> TokenRequest? {
        guard let token = refresh.refreshToken, let all = issuers[token] else { return nil }
        let count = all.partitionPoint { position[$0.exchange] >= position[refresh.exchange] }
        return all[..<count].last
    }

    /// The first answer of all from which a refresh's token descends: as a rule that of the login.
    func origin(of refresh: TokenRequest) -> TokenRequest? { origins[refresh.exchange] }

    /// The refresh with the same token, begun before this one ended, that was answered with another token
    /// in its place.
    func replacement(of refresh: TokenRequest) -> TokenRequest? {
        guard let token = refresh.refreshToken,
            // Of those that began later none does where the first of them does not.
            let first = uses[token]?.replacing.first(where: { $0.exchange != refresh.exchange }),
            first.startedAt <= refresh.startedAt || overlap(first, refresh)
        else { return nil }
        return first
    }

    /// When the token of a refresh was accepted last; nil where it never was.
    func lastUse(ofTokenOf refresh: TokenRequest) -> Timestamp? {
        refresh.refreshToken.flatMap { uses[$0]?.accepted }
    }

    /// The last refresh with the same token shortly before this one, whose answer was lost.
    ///
    /// Nil where there is none, where the token was accepted after it, and where the provider is seen to leave tokens in place. Where
    /// the provider says that the token was used (`isSaidToBeUsed`), one counts that may have arrived.
    func unanswered(before refresh: TokenRequest, isSaidToBeUsed: Bool) -> TokenRequest? {
        guard isReplacing, let token = refresh.refreshToken, let uses = uses[token] else { return nil }
        let all = uses.unanswered.isEmpty && isSaidToBeUsed ? uses.timedOut : uses.unanswered
        let count = all.partitionPoint { $0.startedAt >= refresh.startedAt }
        guard let lost = all[..<count].last,
            refresh.startedAt - lost.startedAt <= Self.longestPause,
            uses.accepted.map({ $0 <= lost.startedAt }) ?? true
        else { return nil }
        return lost
    }

    /// Later a token may have come to its end by itself.
    private static let longestPause = Duration.seconds(600)

    /// Whether the second was sent before the first was answered.
    func overlap(_ one: TokenRequest, _ other: TokenRequest) -> Bool {
        one.startedAt < capture[other.exchange].endedAt && other.startedAt < capture[one.exchange].endedAt
    }
}

extension Flow {
    var refreshHistory: RefreshHistory { derived.value { RefreshHistory(self) } }
}
