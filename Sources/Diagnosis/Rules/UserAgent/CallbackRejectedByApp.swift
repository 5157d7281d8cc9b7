import Captures
import Flows
import JOSE
import OAuth

/// The app answered its own callback with an error, though the provider had sent a code or an ID token.
///
/// A symptom: it says that the app refused, not why.
struct CallbackRejectedByApp: Rule {
    static let info = RuleInfo(
        id: "callback-rejected-by-app",
        title: "The app itself refused the provider's answer",
        severity: .error,
        isSymptom: true,
        explanation: """
            The provider's answer reached the redirect URI with a code or an ID token in it, and the app answered with an error. The provider \
            had no part in that: the app could not match the answer to a login it began, or failed while it worked on it.
            """,
        fix: """
            Look for findings on cookies, state and tokens first, which are the usual reasons. Without any, the app's own log for the time of \
            this request has the answer.
            """,
        badExample: """
            GET /callback?code=…&state=… → 500 Internal Server Error
            """,
        goodExample: """
            GET /callback?code=…&state=… → 302 /
            """,
        specifications: [.rfc(6749, "4.1.2")]
    )

    func verdict(on flow: Flow) -> Verdict {
        // Requests that were not saved may be for any of the codes.
        let unsaved = flow.tokenRequests.filter { $0.code == nil && $0.parameters.isEmpty }
        let isUnsavedRedeemed = unsaved.contains { $0.answer.isSuccess }
        let codes = flow.receivedCodes
        for callback in RejectedCallback.all(in: flow) {
            guard !isOfAnotherRule(callback, flow) else { continue }
            let astray = codes.astray(during: flow.capture[callback.place])
            let isAny = callback.isRedeemed(in: flow) || !unsaved.isEmpty || !astray.isEmpty
            let isGiven = isUnsavedRedeemed || codes.areTokens(givenFor: callback.response)
            guard !isAny || isGiven, isOwn(callback, flow), !isExplained(callback, flow),
                !callback.isRedeemed(in: flow) || !BackEndRefusal.isOfRefusedCall(at: callback.place, flow),
                !isOfIdentityPlatform(callback, flow)
            else { continue }
            return .violated(violation(callback, flow))
        }
        let other =
            BackEndRefusal.violation(in: flow) ?? repeated(in: flow) ?? BackEndRefusal.repeated(in: flow)
            ?? LoginInitiation.refusal(in: flow)
        return other.map { .violated($0) } ?? .holds
    }

    /// A new login round is a circle, and what was sent away as if all were well lost the cookie that the app had set; where it
    /// had set none, nothing else tells of it.
    private func isOfAnotherRule(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        guard callback.rejection.part == .responseLocation, callback.rejection.name.isEmpty,
            callback.notice == nil, !callback.isAtPageOfErrors
        else { return false }
        return !callback.isTurnedAway || CallbackCourse.beginningWithoutCookie(of: callback, flow) == nil
    }

    private func violation(_ callback: RejectedCallback, _ flow: Flow) -> Violation {
        let isLeft = isLeftByProgram(callback, flow)
        let course = CallbackCourse.of(callback, in: flow)
        return Violation(
            answer(to: callback, isLeft: isLeft, flow) + cookies(of: callback, flow) + course.evidence,
            explanation: isLeft ? Self.leftByProgram : course.explanation,
            fix: isLeft ? Self.leftByProgramFix : course.fix,
            title: isLeft
                ? "The program took the provider's answer and did not exchange the code" : course.title,
            exchange: callback.place
        )
        .toldOfFront(in: flow, of: "app")
    }

    /// What the app answered, who shows that it went no further, and what it says of it.
    private func answer(to callback: RejectedCallback, isLeft: Bool, _ flow: Flow) -> [Evidence] {
        let meaning = flow.capture[callback.place].response?.location.flatMap {
            LibraryErrors.meaning(ofAddress: $0)
                ?? LibraryErrors.meaning(ofAddress: CallbackCourse.values(in: $0))
        }
        var evidence = [
            callback.evidence(in: flow, note: isLeft ? "what the browser was told" : nil)
        ]
        if let meaning { evidence[0].note = meaning }
        if let witness = flow.deadEndWitness(at: callback.exchange) {
            evidence.append(
                flow.urlEvidence(
                    of: witness,
                    note:
                        "sent by \(isLeft ? "the program" : "the app's server"), which never brought the code to the token endpoint"
                )
            )
        }
        if let (page, words) = words(of: callback, flow) {
            let path = flow.capture[callback.exchange].request.url.path
            evidence.append(
                Evidence(
                    place: Place(exchange: page, part: .responseBody, name: ""),
                    value: Masking.shown(words, of: "body"),
                    note: meaning == nil ? LibraryErrors.meaning(in: words, ofCallbackAt: path) : nil
                )
            )
        }
        return evidence
    }

    /// The cookies that came with the callback, and where none did, that the app had set none.
    private func cookies(of callback: RejectedCallback, _ flow: Flow) -> [Evidence] {
        guard !flow.surroundings.isSanitized(at: callback.place) else { return [] }
        let names = flow.capture[callback.place].request.cookies.map(\.name)
        let sent = Evidence(
            place: Place(exchange: callback.place, part: .requestHeader, name: "Cookie"),
            value: CookieNames.shown(names),
            note: "cookies sent with the callback"
        )
        let none = CallbackCourse.beginningWithoutCookie(of: callback, flow)
        return [sent, none].compactMap(\.self)
    }

    /// Whether a program on this machine, which opened the browser itself, had the code and went no further.
    private func isLeftByProgram(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        let login = flow.logins.first { $0.response?.callback == callback.exchange }
        guard let request = login?.request, flow.surroundings.redirectedFrom[request.exchange] == nil,
            flow.deadEndWitness(at: callback.exchange) != nil
        else { return false }
        return flow.capture[callback.exchange].request.url.isOnLoopback
    }

    private static let leftByProgram = """
        The program's listener on this machine took the provider's answer and told the browser so. The program itself, whose other \
        requests to the provider are in this capture, never brought the code to the token endpoint: it stopped between the two.
        """
    private static let leftByProgramFix = """
        Look at the program's own output for this time, and run it with its log turned up: it may not have liked the answer's state or \
        issuer, may wait for something else, or another instance of it may listen at that port.
        """

    /// What the app says of it, and where.
    private func words(of callback: RejectedCallback, _ flow: Flow) -> (Int, String)? {
        if let body = flow.capture[callback.wording].response?.body, (body.size ?? 0) > 0 {
            return (
                callback.wording,
                callback.noticeWords(in: flow) ?? OpenerMessage.error(on: body).map { Excerpt.start(of: $0) }
                    ?? PageText.told(by: body)
            )
        }
        // The page that shows what the address names.
        let page = FailedLoginNotice.landing(of: callback.exchange, in: flow.surroundings)
        guard page != callback.exchange else { return nil }
        return PageText.alert(of: flow.capture[page].response?.body).map { (page, $0) }
    }

    /// A reload, or the way back: the login had gone well, and what its user sees last is an error.
    private func repeated(in flow: Flow) -> Violation? {
        guard flow.ending == .success,
            let callback = RejectedCallback.repeated(in: flow).last(where: {
                ($0.rejection.part == .responseStatus || $0.notice != nil || $0.isAtPageOfErrors
                    || !$0.rejection.name.isEmpty) && $0.response.code != nil
            }), let first = callback.repeats
        else { return nil }
        let before = flow.statusEvidence(
            of: first,
            note: "the same answer was taken before: this is a reload, or the browser's way back"
        )
        return Violation(
            [callback.evidence(in: flow), before],
            severity: .note,
            explanation: """
                The login had gone well: the app took this answer before. Then the redirect URI was loaded again, by a reload or the \
                browser's way back, and an error is what the user saw last. Codes and states are good for one time.
                """,
            fix:
                "Let the callback send somebody who is signed in already to the home page, instead of failing.",
            exchange: callback.exchange
        )
    }

    /// Whether a page that is headed by an error says no more than what is known: the app got its tokens, and had to refuse
    /// them.
    private func isExplained(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        guard let status = flow.capture[callback.place].response?.status, status < 400 else { return false }
        return callback.hasFaultyToken(in: flow)
    }

    /// Whether the page at the redirect URI brought the code to Google's Identity Platform, which is more than a server of the app's.
    private func isOfIdentityPlatform(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        callback.place != callback.exchange
            && flow.logins.contains {
                $0.response?.callback == callback.exchange
                    && IdentityPlatformSignIn.refusal(of: $0, in: flow) == callback.place
            }
    }

    /// Whether the refusal is the app's: a redirect that names an error leads to its own pages, or on to another app for which it
    /// signs in, and not as the answer to a login of that app's which is in the capture.
    private func isOwn(_ callback: RejectedCallback, _ flow: Flow) -> Bool {
        guard callback.rejection.part == .responseLocation,
            let location = flow.capture[callback.exchange].response?.location
        else { return true }
        let url = flow.capture[callback.exchange].request.url
        let target = url.resolving(location)
        if target.isWeb, Site.of(target.host ?? "") == Site.of(url.host ?? "") { return true }
        // Elsewhere it is the app itself that is told, or the client of a broker.
        return !flow.surroundings.redirectURIs.contains(target.withoutQuery)
    }
}
