import Captures
import Flows
import OAuth

/// The first word of a flow's provider that it does not know, or does not take, the redirect URI of a login.
struct RefusedRedirectURI: Sendable {
    enum Saying: Sendable {
        /// On a page, or to the script that makes the page and handed the request on.
        case atLogin(AuthorizationRequest, Evidence)
        /// To the app's server, which pushed the request (RFC 9126, section 2.3).
        case atPush(Push)
    }

    /// A pushed request that was refused for its redirect URI.
    struct Push: Sendable {
        let attempt: LoginAttempt
        let sent: Parameter
        let refusal: RequestRefusal
    }

    /// Nil where it is not said.
    private(set) var saying: Saying?
    /// Whether an error's page is not in the capture, on which it may have been said.
    private(set) var isPageUnseen = false

    init(in flow: Flow) { self = flow.derived.value { RefusedRedirectURI(reading: flow) } }

    /// What is said where it is the redirect URI of this very push that was refused.
    func push(at exchange: Int) -> Push? {
        guard case .atPush(let push) = saying, push.attempt.exchange == exchange else { return nil }
        return push
    }

    private init(reading flow: Flow) {
        saying = onPages(of: flow)
        saying = saying ?? Self.pushed(in: flow) ?? Self.toldToScript(in: flow)
    }

    private mutating func onPages(of flow: Flow) -> Saying? {
        let reached = ReachedRedirectURIs(flow.authorizationResponses)
        // Of a request that is made again and again the pages of the first are those of all.
        for request in flow.logins.map(\.request) {
            // Whatever did reach the redirect URI is no refusal of it.
            if reached.isAnswered(request) { continue }
            guard Self.mayName(anAddress: request.parameters) else { continue }
            for page in ProviderPages.of(request, in: flow) {
                if let words = RedirectURIRefusal.evidence(on: page, of: request, in: flow) {
                    return .atLogin(request, words)
                }
                if let response = flow.capture[page].response, response.status >= 400,
                    !(response.body?.isRecorded ?? false)
                {
                    isPageUnseen = true
                }
            }
        }
        return nil
    }

    /// An address that was not sent, or empty, is none that the provider does not know, though some word both alike.
    private static func mayName(anAddress parameters: Parameters) -> Bool {
        parameters.items.contains {
            ["redirect_uri", "request", "request_uri"].contains($0.name) && !$0.value.isEmpty
        }
    }

    private static func pushed(in flow: Flow) -> Saying? {
        for attempt in flow.loginAttempts where attempt.request == nil {
            guard let refusal = attempt.refusal, let sent = attempt.parameter("redirect_uri"),
                RedirectURIRefusal.isSaid(refusal.error, refusal.text)
            else { continue }
            return .atPush(Push(attempt: attempt, sent: sent, refusal: refusal))
        }
        return nil
    }

    private static func toldToScript(in flow: Flow) -> Saying? {
        for attempt in flow.loginAttempts {
            guard let request = attempt.request, let refusal = attempt.refusal, refusal.isToldToScript,
                RedirectURIRefusal.isSaid(refusal.error, refusal.text)
            else { continue }
            return .atLogin(request, refusal.evidence())
        }
        return nil
    }
}
