import Captures
import Flows
import OAuth

/// A provider's word that it signs nobody in in a window that a program holds: a web view, a window of Electron, a browser that a tool drives.
enum RefusedWindow {
    /// Said to the request itself, or on a page of the sign-in, as Google does behind the form with the name.
    static func refusal(of attempt: LoginAttempt, in flow: Flow) -> RequestRefusal? {
        if let refusal = attempt.refusal, refusal.says(texts) { return refusal }
        guard attempt.response == nil, let request = attempt.request else { return nil }
        let pages = ProviderPages.of(request, in: flow)
        let told = pages.lazy.compactMap { flow.refusal(on: [$0], redirectURI: request.redirectURI) }
            .first { $0.says(texts) }
        return told ?? SignInEnd.refusal(on: pages, in: flow).flatMap { $0.says(texts) ? $0 : nil }
    }

    /// What shows the window, by whatever name it goes.
    static func agent(of attempt: LoginAttempt, in flow: Flow) -> Evidence? {
        flow.capture[attempt.exchange].request.headers.first("user-agent").map { agent in
            Evidence(
                place: Place(exchange: attempt.exchange, part: .requestHeader, name: "User-Agent"),
                value: Masking.shown(agent, of: "user-agent"),
                note: "names no web view: the provider goes by other signs"
            )
        }
    }

    static let title = "The provider refuses the window that its page is shown in"
    static let seenThrough = Violation.Words(
        explanation: """
            Google lets nobody sign in in a window that a program holds: a web view, a window of Electron or Tauri, a browser that a tool \
            drives. It looks at more than the User-Agent, so that another name there does not help for long.
            """,
        fix: """
            Open the request in the browser that the user has, and take the answer at a loopback address or at a scheme of the app's own. A \
            test that drives a browser is better off with a provider for tests, or with a session that somebody signed in to by hand.
            """
    )

    /// How a provider says that it wants none.
    static let texts = ["disallowed_useragent", "embedded webview policy", notSecure]
    /// Google's page for those.
    static let notSecure = "this browser or app may not be secure"
}
