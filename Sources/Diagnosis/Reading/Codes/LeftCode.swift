import Captures
import Flows
import OAuth

/// A code that came to a page of a browser app, which did nothing with it: what the capture shows of why.
///
/// Such a page finds `state` and verifier in the storage of its origin, where its library put them before the login.
struct LeftCode {
    var evidence: [Evidence] = []
    var explanation: String
    var fix: String

    init(by delivery: CodeDelivery, in flow: Flow) {
        let response = delivery.response
        let request = flow.authorizationRequests.last { request in
            request.state.map { !$0.isEmpty && $0 == response.state } ?? false
        }
        if FirebaseHelper.isOne(response.target) {
            explanation = Self.ofFirebase
            fix = Self.ofFirebaseFix
        } else if let ban = response.callback.flatMap({ FramedPage.banOfAll(on: $0, in: flow) }) {
            evidence = [ban]
            explanation = Self.framed
            fix = Self.framedFix
        } else if let earlier = Self.answerBefore(response, in: flow) {
            evidence = [Evidence(earlier, note: "an earlier answer to the same request, which was exchanged")]
            explanation = Self.answeredBefore
            fix = Self.answeredBeforeFix
        } else if let request, let page = Self.otherOrigin(of: request, than: response.target, in: flow) {
            evidence = [page]
            explanation = Self.begunElsewhere
            fix = Self.begunElsewhereFix
        } else {
            explanation = Self.byPage
            fix = Self.byPageFix
        }
    }

    /// The code of an answer with the same `state` that was exchanged with success.
    private static func answerBefore(_ response: AuthorizationResponse, in flow: Flow) -> Parameter? {
        guard let state = response.state, !state.isEmpty else { return nil }
        let codes = Set(flow.tokenRequests.filter(\.answer.isSuccess).compactMap(\.code))
        return flow.authorizationResponses.first { earlier in
            earlier.state == state && earlier.code.map(codes.contains) ?? false
        }?.parameter("code")
    }

    /// The page that sent the browser to the provider, where it is the app's under another origin than the redirect URI's.
    private static func otherOrigin(
        of request: AuthorizationRequest,
        than target: RecordedURL,
        in flow: Flow
    ) -> Evidence? {
        guard
            let referer = flow.capture[request.exchange].request.headers.first("referer").map({
                RecordedURL($0)
            }), referer.isWeb, let origin = referer.origin, origin != target.origin,
            let host = referer.host, let other = target.host,
            Site.of(host) == Site.of(other)
                || LoopbackHost.isLoopback(host) && LoopbackHost.isLoopback(other),
            referer.origin != request.endpoint.origin, !flow.providerHosts.contains(host)
        else { return nil }
        return Evidence(
            place: Place(exchange: request.exchange, part: .requestHeader, name: "Referer"),
            value: Masking.shown(origin, of: "url"),
            note: "the login began at this origin, and came back to \(target.origin ?? other)"
        )
    }

    // MARK: - Words

    private static let byPage = """
        The provider sent the user back with a code, and the page at the redirect URI did nothing with it: no later request carries it. Either its \
        library did not look at the address, or it did not find there what it had stored before the login (No matching state found in storage).
        """
    private static let byPageFix = """
        See that the library is started on this page and that the router does not drop the query before. What it stored has to be there when the \
        login comes back: sessionStorage is that of one tab, and each origin has its own (http and https, with www. and without, localhost and \
        127.0.0.1).
        """
    private static let framed = """
        The login went on in a hidden frame, and the app's own page at the redirect URI says that it may not be shown in any. The browser shows an empty frame in its place, so its \
        script did not run, and the code was left; the library waits for it in vain (timed_out, IFrame window timed out).
        """
    private static let framedFix = """
        Let the page at the redirect URI of silent logins be framed by the app itself: X-Frame-Options: SAMEORIGIN, or frame-ancestors 'self', for that path. Spring Security, Helmet and templates \
        for nginx send DENY, or 'none', for all of them. Or renew by refresh tokens, which need no frame.
        """
    private static let begunElsewhere = """
        The login began on a page of one origin, and its answer came to a page of another. What the library stored before the login, state and \
        verifier, is in the storage of the first origin, where the second cannot look; so it did nothing with the code.
        """
    private static let begunElsewhereFix = """
        Let people use the app under one origin: send those who come by the other one (http, with or without www.) on before a login begins, or build \
        the redirect URI from the page's own origin and register both.
        """
    private static let answeredBefore = """
        This is the second answer to one request. The first was exchanged, and what the page's library had stored for it is used up since: somebody \
        went back to the sign-in page, or kept its address, and signed in there once more.
        """
    private static let answeredBeforeFix = """
        When the library finds no such state, have the page begin a new login instead of showing an error: the provider answers it at once. Take the \
        address with the code out of the browser's history once it is used (history.replaceState).
        """
    private static let ofFirebase = """
        The browser brought the code to Firebase's helper page, and the page brought it nowhere: it did not find what it had stored before the login \
        (Unable to process request due to missing initial state). Browsers keep the storage of another site's page apart, and each tab, web view and \
        browser has its own.
        """
    private static let ofFirebaseFix = """
        Have the helper on the app's own domain: set authDomain to it, forward /__/auth/ there to PROJECT.firebaseapp.com, and register \
        https://APP/__/auth/handler at the provider. Else sign in by signInWithPopup. In an app, open the login in the system's browser, and where it \
        began.
        """
}
