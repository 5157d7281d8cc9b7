import Captures
import OAuth

extension ProviderState {
    /// What a client polls for while its user decides on another device (RFC 8628; OpenID Connect CIBA).
    struct DeviceGrant: Sendable {
        /// What becomes of a poll.
        enum Poll {
            case refused(Refusal)
            /// Who agreed: the tokens are that user's, and there are none for another poll.
            case agreed(ProviderConfiguration.User)
        }

        var clientID: String
        var scope: String
        /// Nil where the user is asked without one.
        var userCode: String?
        var expiresAt: Timestamp
        /// Seconds that a client waits between two polls.
        var interval: Int64
        var lastPoll: Timestamp?
        var polls = 0
        var user: ProviderConfiguration.User?
        var isDenied = false
        var isUsed = false
        /// What was recorded, by what stands for it.
        var values: [String: String] = [:]

        /// A client asks whether its user has agreed (RFC 8628, section 3.5).
        ///
        /// `pending`: how often is said that the user has not answered; nil where a user is there, who alone decides. `likely`: who
        /// agrees after so many.
        mutating func poll(
            at now: Timestamp,
            pending: Int?,
            agreedBy likely: ProviderConfiguration.User?
        ) -> Poll {
            guard expiresAt > now else { return .refused(.deviceExpired) }
            if isDenied { return .refused(.deviceDenied) }
            let isFast = lastPoll.map { now - $0 < .seconds(interval) } ?? false
            lastPoll = now
            polls += 1
            if let pending {
                guard polls > pending else { return .refused(.devicePending) }
                user = user ?? likely
            } else if user == nil, isFast {
                // RFC 8628, section 3.5: from now on five seconds more.
                interval += 5
                return .refused(.deviceTooFast)
            }
            guard let user else { return .refused(.devicePending) }
            isUsed = true
            return .agreed(user)
        }
    }
}

extension LimitedTable<ProviderState.DeviceGrant> {
    /// What a user means who types a code, the newest of several; nil where it is not known.
    func entry(ofUserCode typed: String) -> (key: String, value: Value)? {
        newestFirst.first { $0.value.userCode.map { UserCode.isSame($0, typed) } ?? false }
    }
}
