import Captures
import JOSE
import OAuth

extension CaptureIndex {
    /// The next try of a request that was refused, where the capture lacks the answer to it, and it may well have been a better one;
    /// nil of all others.
    package func unseenRetry(of exchange: Int) -> Int? {
        derived.value { UnseenRetries(self) }.next[exchange]
    }
}

/// Requests that were refused and made once more when the recording ended, or where it lost the answer.
///
/// Those that were refused for what they say, and say the same again, are not among them: they are refused again. They count
/// where the server could not answer, or asked for patience or a nonce, or where the next try sends something else. What another
/// user is refused, or a try between the two was answered, is told by that answer.
private struct UnseenRetries: Sendable {
    /// The next try, by the exchange of the one that was refused.
    private(set) var next: [Int: Int] = [:]

    init(_ index: CaptureIndex) {
        // Nearly always all were answered.
        guard index.messages.keys.contains(where: { index.capture[$0].response == nil }) else { return }
        var unseen: [[String]: Attempt] = [:]
        for exchange in index.order.reversed() {
            guard let attempt = index.messages[exchange].flatMap({ Attempt($0, in: index) }) else { continue }
            if attempt.isUnseen {
                unseen[attempt.purpose] = attempt
                continue
            }
            guard let later = unseen[attempt.purpose], attempt.mayBeOfUser(of: later) else { continue }
            if attempt.answer.isRefusal, attempt.isPutOff || attempt.values != later.values {
                next[exchange] = later.answer.exchange
            } else {
                unseen[attempt.purpose] = nil
            }
        }
    }

    private struct Attempt {
        /// What two tries of the same request have in common.
        var purpose: [String]
        /// What is sent; of what is made anew for each try, that it is there.
        var values: Set<String>
        /// Of whom the token is that was brought; nil where it does not say.
        var subject: String?
        var answer: Answer

        /// Nil of messages whose answers are pages, or go to the app.
        init?(_ message: OAuthMessage, in index: CaptureIndex) {
            let request = index.capture[message.exchange].request
            var parameters = Parameters()
            switch message {
            case .token(let call):
                let grant = call.code ?? call.refreshToken
                purpose =
                    grant.map { ["token", $0] }
                    ?? [call.grantType, call.clientID, call.parameters["username"]].map { $0 ?? "" }
                parameters = call.parameters
                answer = call.answer
            case .pushedRequest(let call), .deviceAuthorization(let call),
                .backchannelAuthentication(let call):
                purpose = [request.methodAndURL, call.authentication.clientID?.value ?? ""]
                parameters = call.parameters
                answer = call.answer
            case .userInfo(let call), .resource(let call):
                purpose = [index.methodAndAddress(of: call), request.userAgent ?? ""]
                subject = JSONWebToken.parse(call.knownToken)?.subject
                answer = call.answer
            case .discovery(let document):
                purpose = [request.methodAndURL]
                answer = document.answer
            case .keySet(let document):
                purpose = [request.methodAndURL]
                answer = document.answer
            case .registration, .clientConfiguration, .authorizationRequest, .authorizationResponse,
                .identityAssertion, .introspection, .revocation, .endSession, .backChannelLogout,
                .frontChannelLogout:
                return nil
            }
            values = Set(
                parameters.items.map { Self.fresh.contains($0.name) ? $0.name : "\($0.name)=\($0.value)" }
                    + [request.headers.first("authorization"), request.body?.essence].map { $0 ?? "" }
                    + [request.url.withoutQuery]
            )
        }

        /// Without a status, by the capture's doing or for no reason that it tells.
        var isUnseen: Bool { answer.status == nil && (answer.isUnseen || answer.failure == nil) }

        /// Whether the same may go well later.
        var isPutOff: Bool {
            guard let status = answer.status else { return false }
            return status >= 500 || status == 429
                || answer.error.map { Self.delays.contains($0.error) } ?? false
        }

        /// Whether nothing says that two users sent this one and another.
        func mayBeOfUser(of other: Attempt) -> Bool {
            guard let subject, let others = other.subject else { return true }
            return subject == others
        }

        /// What clients make anew for every login, or for every request.
        private static let fresh: Set<String> = [
            "client_assertion", "assertion", "request", "state", "nonce", "code_challenge",
        ]
        private static let delays: Set<String> = [
            "use_dpop_nonce", "server_error", "temporarily_unavailable", "authorization_pending", "slow_down",
        ]
    }
}
