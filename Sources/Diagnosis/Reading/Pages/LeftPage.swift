import Captures
import Flows
import OAuth

/// The provider's page at which a login was left, and what it told the user.
enum LeftPage {
    /// `last`: the page at which the login was left; `pages`: those of the provider, in order of time.
    static func violation(at last: Int, of pages: [Int], in flow: Flow) -> Violation {
        let posted = pages.filter { flow.isCredentialPost($0) }
        let body = flow.capture[last].response?.body
        // Before anything was sent, a box for errors is one of the page's own.
        let alert = posted.isEmpty ? nil : PageText.alert(of: body)
        let words = alert ?? PageText.start(of: body)
        let session = pages.last { ForgeRockStep.session(in: flow.capture[$0]) != nil }
        var evidence = [flow.urlEvidence(of: last, note: "the last page of the provider")]
        if !words.isEmpty {
            evidence.append(
                Evidence(
                    place: Place(exchange: last, part: .responseBody, name: ""),
                    value: Masking.shown(words, of: "body"),
                    note: alert.map { _ in "what the page tells the user" }
                )
            )
        }
        evidence.append(session.map { signedIn(at: $0, flow) } ?? entered(posted, flow))
        let ban = posted.isEmpty ? FramedPage.ban(on: last, in: flow) : nil
        let lost = lostSession(behind: last, pages, flow)
        evidence += [ban, lost?.evidence].compactMap(\.self)
        let errors = posted.isEmpty ? nil : errors(of: pages, flow)
        if let errors { evidence.append(errors) }
        // Its own answer to what was entered, not a later page of the sign-in.
        // A message without it may also say where the user finds a code.
        let asksAgain = ErrorPage.asksForPassword(body?.bytes ?? [])
        let isTurnedAway =
            alert != nil && asksAgain && posted.last.map { answers(last, $0, flow) } ?? false
        let hasStayed = session.map { Self.hasStayed(at: last, since: $0, pages, flow) } ?? false
        let told =
            alert.flatMap { Self.words(of: $0, flow) } ?? ban.map { _ in FramedPage.words } ?? lost?.words
            ?? (isTurnedAway
                ? turnedAway
                : hasStayed
                    ? stayed
                    : errors != nil || isRefused(posted.last, flow)
                        ? refused : posted.isEmpty ? unseen(last, flow) : nil)
        let isUnanswerable = !words.isEmpty && session == nil && !HTMLForm.isAsking(in: body?.bytes ?? [])
        return Violation(
            evidence,
            explanation: told?.explanation,
            fix: told?.fix ?? (isUnanswerable ? unanswerableFix : nil),
            title: told?.title,
            exchange: last
        )
    }

    /// What the message that the user was shown means at this provider.
    private static func words(of alert: String, _ flow: Flow) -> Violation.Words? {
        if let expired = ExpiredSignIn.words(in: alert) { return expired }
        guard var known = ProviderWords.meaning(of: alert, by: flow.provider) else { return nil }
        known.title = turnedAway.title
        return known
    }

    /// What the page's script was answered last, where that is that the provider does not know the login any more.
    private static func lostSession(behind last: Int, _ pages: [Int], _ flow: Flow)
        -> (words: Violation.Words, evidence: Evidence)?
    {
        guard let answered = pages.last, answered != last, SignInAnswer.isData(answered, flow),
            let response = flow.capture[answered].response, response.status >= 400,
            let text = response.body?.text?.prefixBytes(4096), let words = ExpiredSignIn.words(in: text)
        else { return nil }
        let said = Evidence(
            place: Place(exchange: answered, part: .responseBody, name: ""),
            value: Masking.shown(Excerpt.start(of: text), of: "body"),
            note: "what the page's script was answered, with \(response.status)"
        )
        return (words, said)
    }

    private static func signedIn(at session: Int, _ flow: Flow) -> Evidence {
        flow.statusEvidence(of: session, note: "the user is signed in: answered with a session")
    }

    /// How often credentials were posted, and what the last ones were answered with.
    static func entered(_ posted: [Int], _ flow: Flow) -> Evidence {
        .computed(
            "credentials",
            times(posted.count),
            in: .requestBody,
            note: posted.last.map { exchange in
                "last in exchange \(exchange)"
                    + (flow.capture[exchange].response.map { ", answered \($0.status)" } ?? "")
            }
        )
    }

    /// Whether the browser stayed at a page after the sign-in: where none came after it the recording may have ended first, and where
    /// the endpoint was asked again the login went on.
    private static func hasStayed(at last: Int, since session: Int, _ pages: [Int], _ flow: Flow) -> Bool {
        guard let place = pages.firstIndex(of: session) else { return false }
        let after = pages[(place + 1)...]
        return after.contains(last)
            && !after.contains {
                if case .authorizationRequest = flow.surroundings.messages[$0] { true } else { false }
            }
    }

    /// A page that the app itself got, by its library for HTTP: nobody sees it there.
    private static func unseen(_ page: Int, _ flow: Flow) -> Violation.Words? {
        let exchange = flow.capture[page]
        guard exchange.request.isByNativeApp else { return nil }
        let isConsent =
            flow.provider == .forgerock
            && exchange.response?.body?.text?.containsBytes("displayScopes") == true
        return isConsent ? unseenConsent : unseenPage
    }

    private static let unseenPage = Violation.Words(
        title: "The app itself asked for the provider's page, and has no browser to show it in",
        explanation: """
            The authorization request was sent by the app's own library for HTTP, and not opened in a browser. The provider answered with a page for a person, which nobody sees.
            """,
        fix: """
            Open the authorization request in the system's browser or its tab (AppAuth, ASWebAuthenticationSession, Custom Tabs). Where the app signs its user in by the provider's own API first, send that session \
            with the request, and see that the provider takes it.
            """
    )

    private static let unseenConsent = Violation.Words(
        title: "ForgeRock asks for consent on a page, and the app has no browser to show it in",
        explanation: """
            The app signed its user in by its own pages and then sent the authorization request itself. ForgeRock wants the user to agree to the scopes on a page of its own, which nobody sees.
            """,
        fix: """
            Switch Implied consent on for this OAuth 2.0 client (Advanced), and let clients skip consent in the realm's OAuth2 provider service (Consent). Or open the request in a browser, where the page can be \
            answered.
            """
    )

    private static let unanswerableFix = """
        The last page has nothing to fill in: what it tells the user may be why the login ended there. If a script makes the rest of the page, record \
        on until the browser is back at the app.
        """

    private static let stayed = Violation.Words(
        title: "The user is signed in at the provider, which did not go on with the login",
        explanation: """
            The sign-in went well: ForgeRock answered it with a session. Its page then did not go back to the authorization endpoint, from where the app \
            would have got its answer, but stayed at one of the provider's own.
            """,
        fix: """
            See what became of goto, the address that the sign-in has to go back to: it has to be among the valid goto URLs of the realm's validation \
            service, no longer than that allows (2,000 characters by default), and not replaced by a default success URL.
            """
    )

    private static let turnedAway = Violation.Words(
        title: "The provider did not let the user in, and the login ended there",
        explanation: """
            The provider answered what the user entered with its page again and a message. Nothing came after it, so the app never got an answer.
            """,
        fix: """
            Go by the message on the page: wrong credentials, or an account that is locked, disabled or not confirmed yet, are mended at the \
            provider. The app's own requests are not the reason.
            """
    )

    /// Of what a script or the app itself posted.
    static let refused = Violation.Words(
        title: turnedAway.title,
        explanation: """
            The provider answered what the user entered with an error, and nothing came after it, so the app never got an answer.
            """,
        fix: """
            Look at the credentials first, then at the account at the provider: it may be locked, disabled or not confirmed yet, which the \
            provider's log says. The app's own requests are not the reason.
            """
    )

    /// What the last answer to a script that posted something says of it.
    private static func errors(of pages: [Int], _ flow: Flow) -> Evidence? {
        pages.last { flow.capture[$0].request.method == "POST" }
            .flatMap { FormErrors.evidence(on: $0, in: flow) }
    }

    /// Whether a script's post of credentials was answered with an error of the user's.
    private static func isRefused(_ post: Int?, _ flow: Flow) -> Bool {
        guard let post, let status = flow.capture[post].response?.status else { return false }
        return status >= 400 && SignInAnswer.isUsers(status) && SignInAnswer.isData(post, flow)
    }

    /// Whether a page is the answer to a form, by way of a redirect at most.
    private static func answers(_ page: Int, _ post: Int, _ flow: Flow) -> Bool {
        page == post || flow.surroundings.redirectedFrom[page] == post
    }

    private static func times(_ count: Int) -> String {
        count == 0 ? "never posted" : count == 1 ? "posted once" : "posted \(count) times"
    }
}
