import Captures
import Flows
import OAuth

/// What went wrong for good behind answers that look like success: an error, though its flow ended well.
enum BehindSuccess {
    static func isLasting(_ info: RuleInfo, _ violation: Violation, _ flow: Flow) -> Bool {
        isRefusedByBackEnd(info, flow) || isKeptFromItsSession(info, flow) || isLostOnTheWay(info, flow)
            || isKeptFromItsPages(info, violation, flow) || isStoppedInItsRounds(info, flow)
            || isAskedOnceMore(info, violation, flow)
            || isShownTheWrongToken(info, violation, flow)
            // The provider's answer is a good one, at an address where nobody can do anything with it.
            || info.id == RedirectTargetDiffers.info.id && violation.severity == .error
            // The page that the browser shows in the app's place is a good answer, too.
            || info.id == SingpassHTTPSTypeMissing.info.id && ClaimedAddress.opened(in: flow) != nil
    }

    /// The back end of an app is asked by the app itself, behind an answer that looks like success.
    private static func isRefusedByBackEnd(_ info: RuleInfo, _ flow: Flow) -> Bool {
        info.id == CallbackRejectedByApp.info.id && AppHandover.refusal(of: flow) != nil
    }

    /// The browser gave up on the way, behind rounds each of which brought good tokens.
    private static func isStoppedInItsRounds(_ info: RuleInfo, _ flow: Flow) -> Bool {
        guard info.id == RedirectLoop.info.id else { return false }
        if RefreshedLoop.isEndless(in: flow) { return true }
        guard let last = flow.authorizationResponses.last(where: { $0.code != nil })
        else { return false }
        // What it gave up it may have written down, without an answer.
        guard let callback = last.callback, flow.capture[callback].response != nil else {
            return flow.receivedCodes.exchanges(of: last).isEmpty
        }
        let end = FailedLoginNotice.landing(of: callback, in: flow.surroundings)
        guard let answer = flow.capture[end].response else {
            // Asked for once more it may have been answered.
            let tries = flow.surroundings.redirectedFrom[end].map(flow.surroundings.landings) ?? [end]
            return tries.allSatisfy { flow.capture[$0].response == nil }
        }
        return answer.location != nil && flow.surroundings.landings(of: end).isEmpty
    }

    /// A session that frames do not get to is lost all the same where the user signs in again later, in a login of its own.
    private static func isKeptFromItsSession(_ info: RuleInfo, _ flow: Flow) -> Bool {
        info.id == SilentLoginCookiesBlocked.info.id && flow.authorizationRequests.allSatisfy(\.isSilent)
    }

    /// A call that lost its token at a redirect is refused behind an answer that is no refusal.
    private static func isLostOnTheWay(_ info: RuleInfo, _ flow: Flow) -> Bool {
        info.id == BearerRejected.info.id && LostCredentials.ofCall(in: flow) != nil
    }

    /// The pages behind a login that went well are refused for the cookies that it set, and none is let in later.
    private static func isKeptFromItsPages(_ info: RuleInfo, _ violation: Violation, _ flow: Flow) -> Bool {
        guard info.id == CookiesTooLarge.info.id, let exchange = violation.faultyExchange,
            !flow.exchanges.contains(exchange)
        else { return false }
        let origin = flow.capture[exchange].request.url.origin
        return !flow.exchanges(after: exchange, within: .seconds(3600)).contains { later in
            flow.capture[later].request.url.origin == origin
                && flow.capture[later].response.map { (200..<400).contains($0.status) } ?? false
        }
    }

    /// A pushed request that was used once more when its login was over leaves the user on the page that refuses it.
    private static func isAskedOnceMore(_ info: RuleInfo, _ violation: Violation, _ flow: Flow) -> Bool {
        guard [PARRequestURIReused.info.id, PARRequestURIExpired.info.id].contains(info.id),
            let exchange = violation.faultyExchange
        else {
            return false
        }
        let place = flow.surroundings.position[exchange]
        // The first page was answered all the same.
        let isAnswered = flow.authorizationResponses.contains {
            $0.error == nil && flow.surroundings.position[$0.exchange] > place
        }
        return !isAnswered
            && !flow.exchanges.contains { later in
                guard flow.surroundings.position[later] > place else { return false }
                return switch flow.surroundings.messages[later] {
                // Of any login at this provider.
                case nil, .discovery, .keySet: false
                default: true
                }
            }
    }

    /// An API that is seen to let nobody in, and was shown the ID token: some say so as they say what is no affair of the login, with 403, and Facebook's with 400.
    private static func isShownTheWrongToken(_ info: RuleInfo, _ violation: Violation, _ flow: Flow) -> Bool {
        guard info.id == AccessTokenWrongKind.info.id, let exchange = violation.faultyExchange,
            let refused = flow.surroundings.messages[exchange]?.protectedCall,
            refused.answer.status == 403 || GraphAPI.refusesToken(refused)
        else { return false }
        // Of any login's.
        return !flow.surroundings.messages.values.lazy.compactMap(\.protectedCall).contains {
            $0.token != nil && $0.endpoint.host == refused.endpoint.host && isLetIn($0.answer)
        }
    }

    /// Whether an API looked for what it was asked for, there or not: who is turned away at its door is told 401 or 403.
    private static func isLetIn(_ answer: Answer) -> Bool {
        answer.isSuccess || [304, 404, 409, 410, 412, 422].contains(answer.status)
    }
}
