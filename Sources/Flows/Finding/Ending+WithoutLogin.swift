import Captures
import OAuth

/// How flows end that are no logins: registrations, logouts, calls by themselves, documents.
extension Ending {
    /// How a flow ended that has neither a login nor a token request: by the last of its messages that tells.
    var otherOutcome: Outcome {
        if let notified = builder.notified { return notified }
        /// Of each message that tells; nil where it leaves the end open.
        var statuses: [Int?] = []
        var isDeleted = false
        for message in messages where index.unseenRetry(of: message.exchange) == nil {
            switch message {
            // Who looks whether it is gone is refused.
            case .clientConfiguration(let call) where !isDeleted:
                statuses.append(call.answer.status)
                isDeleted = call.isDeletion
            case .endSession(let call):
                switch LogoutCourse(of: call, in: index).end {
                case .refused: statuses.append(400)
                case .page, .unanswered: statuses.append(nil)
                case .sentBack, .declined, .done: statuses.append(200)
                }
            case .backChannelLogout(let delivery): statuses.append(logoutStatus(of: delivery))
            case .frontChannelLogout(let call): statuses.append(call.answer.status)
            case .registration(let call) where call.isRefusedRegistration: statuses.append(400)
            case .registration(let call), .revocation(let call),
                .introspection(let call), .userInfo(let call), .resource(let call):
                statuses.append(call.answer.status)
            // It begins a login, and ends none.
            case .pushedRequest(let call): statuses.append(status(of: call))
            case .deviceAuthorization(let call), .backchannelAuthentication(let call):
                // An error may come with status 200, as GitHub answers.
                let isRefused = call.answer.isRefusal && !index.isTakenBehindRedirect(call.exchange)
                statuses.append(isRefused ? call.answer.status.map { max($0, 400) } : nil)
            default: break
            }
        }
        guard let last = statuses.last else { return documentOutcome }
        guard let status = last else { return .incomplete }
        return status < 400 ? .success : .failure
    }

    /// That of a pushed request, a refusal where it was redirected to nowhere that took it; nil where a login may follow.
    private func status(of pushed: EndpointCall) -> Int? {
        guard pushed.answer.isRefusal, let status = pushed.answer.status else { return nil }
        guard status < 400 else { return status }
        return index.isTakenBehindRedirect(pushed.exchange) ? nil : 400
    }

    /// Of a flow that only read metadata and keys: that is no goal, but it can fail.
    private var documentOutcome: Outcome {
        // A sign-in by script that got no further.
        if messages.isEmpty, builder.exchanges.contains(where: { ForgeRockStep.isKept(index.capture[$0]) }) {
            return .failure
        }
        if messages.isEmpty, builder.exchanges.contains(where: { LoneRefusal.isOne(index.capture[$0]) }) {
            return .failure
        }
        if builder.exchanges.contains(where: { ForgeRockStep.refusal(in: index.capture[$0]) != nil }) {
            return .failure
        }
        let exchanges = index.inOrder(builder.exchanges)
        guard ThirdPartyInitiation.refused(among: exchanges, in: index).isEmpty else { return .failure }
        var isRead: [Bool] = []
        for message in messages {
            switch message {
            case .discovery(let document) where document.answer.status != nil:
                isRead.append(document.isUsable || isUnknown(document.answer))
            case .keySet(let document) where document.answer.status != nil:
                isRead.append(document.keys != nil || isUnknown(document.answer))
            default: break
            }
        }
        return isRead.isEmpty || isRead.contains(true) ? .incomplete : .failure
    }

    /// Whether a document may have been a good one, of which the capture lacks all or the rest, or that the client has already (304).
    private func isUnknown(_ answer: Answer) -> Bool {
        !answer.isBodyRecorded || answer.isUnseen && !answer.isRefusal || answer.status == 304
    }
}
