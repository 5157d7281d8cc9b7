import Captures
import Flows
import OAuth

/// A callback that brought a code or an ID token and that the app refused all the same.
struct RejectedCallback {
    var response: AuthorizationResponse
    var exchange: Int
    /// Where the refusal shows.
    var rejection: Place
    /// How.
    var note = "refused"

    /// The callback that had taken the same answer before, where it did.
    var repeats: Int?
    /// The page of the app that it was sent on to or answered with, where that one says that nobody was signed in.
    var notice: Int?
    /// Whether it was sent on to a page of the app's that is there for errors alone.
    var isAtPageOfErrors = false
    /// Whether it was sent on as if all were well, and nobody is signed in.
    var isTurnedAway = false
    /// Whether it was sent on without the cookies it came with, and nobody is known behind it.
    var isForgotten = false
    /// Whether it was sent on to another spelling of its address, and the answer stayed behind.
    var isAnswerLost = false

    /// In the order of time; without those that were loaded again after the answer was done with: what they needed has served
    /// its purpose.
    static func all(in flow: Flow) -> [RejectedCallback] { seen(in: flow).filter { $0.repeats == nil } }

    /// Those that were loaded again after the answer was done with.
    static func repeated(in flow: Flow) -> [RejectedCallback] { seen(in: flow).filter { $0.repeats != nil } }

    private static func seen(in flow: Flow) -> [RejectedCallback] {
        flow.derived.value { Seen(callbacks: found(in: flow)) }.callbacks
    }

    /// Found once for all rules.
    private struct Seen: Sendable {
        var callbacks: [RejectedCallback]
    }

    private static func found(in flow: Flow) -> [RejectedCallback] {
        let requests = Dictionary(
            flow.logins.compactMap { login in login.response?.callback.map { ($0, login.request) } },
            uniquingKeysWith: { first, _ in first }
        )
        let codes = Set(flow.tokenRequests.compactMap(\.code))
        let takenByCode = Dictionary(
            grouping: flow.authorizationResponses.lazy.compactMap { response in
                response.callback.flatMap { isTaken($0, flow) ? (code: response.code, callback: $0) : nil }
            },
            by: \.code
        )
        return flow.authorizationResponses.compactMap { response in
            guard let callback = response.callback,
                ["code", "id_token", "access_token", "response"].contains(where: {
                    response.parameters.contains($0)
                }),
                response.error == nil
            else { return nil }
            var rejected = RejectedCallback(
                response: response,
                exchange: callback,
                rejection: Place(exchange: callback, part: .responseLocation, name: "")
            )
            if case .rejected(let rejection) = flow.fate(ofCallback: callback) {
                rejected.read(rejection, flow)
            } else if let request = requests[callback],
                let sign = TurnedAway.sign(of: response, to: request, exchanged: codes, in: flow.surroundings)
            {
                rejected.isTurnedAway = true
                rejected.note = words(of: sign)
            } else {
                return nil
            }
            rejected.repeats = taken(before: callback, among: takenByCode[response.code] ?? [], flow)
            return rejected
        }
    }

    /// Reads how the app refused the callback; what says most is the note.
    private mutating func read(_ rejection: Place, _ flow: Flow) {
        self.rejection = rejection
        if rejection.part == .responseLocation, rejection.name.isEmpty,
            PageOfErrors.isShown(behind: exchange, in: flow.surroundings)
        {
            isAtPageOfErrors = true
            note = "sent to a page of the app's that is there for errors"
        }
        isForgotten = TurnedAway.isForgotten(exchange, in: flow.surroundings)
        if rejection.part == .responseHeader, isForgotten {
            note =
                "deleted, none set, and the page behind the redirect is loaded without one: nobody was signed in"
        }
        notice = FailedLoginNotice.page(behind: exchange, in: flow.surroundings)
        if let notice {
            note =
                notice == exchange
                ? "the app's form to sign in with, and a message: nobody was signed in"
                : noticeWords(in: flow) == nil
                    ? "sent back to the app's form to sign in with: nobody was signed in"
                    : "refused, as the page says that it leads to"
        }
        if rejection.exchange != exchange {
            isAnswerLost =
                rejection.exchange == LostAnswer.refusal(behind: exchange, in: flow.surroundings)
            note =
                isAnswerLost
                ? "refused: the redirect brought nothing of the answer here"
                : "refused by the app's server, to which the page at the redirect URI handed the code"
        }
    }

    /// Sent on as if all were well, and nobody is signed in.
    private static func words(of sign: TurnedAway.Sign) -> String {
        switch sign {
        case .codeLeft:
            "sent away, and the app's server never brought the code to the token endpoint"
        case .noSession:
            "sent away without a session: none is set, and the page it leads to is loaded without a cookie"
        }
    }

    /// Whether the app answered a callback, and did not refuse it.
    private static func isTaken(_ callback: Int, _ flow: Flow) -> Bool {
        guard flow.capture[callback].response != nil else { return false }
        if case .rejected = flow.fate(ofCallback: callback) { return false }
        return true
    }

    /// `answers`: those with its code that the app took.
    private static func taken(
        before callback: Int,
        among answers: [(code: String?, callback: Int)],
        _ flow: Flow
    ) -> Int? {
        let start = flow.capture[callback].startedAt
        return answers.first { earlier in
            earlier.callback != callback && flow.capture[earlier.callback].startedAt < start
                && !flow.surroundings.isDetour(from: earlier.callback, to: callback)
        }?.callback
    }

    /// The callback that brought the answer to the same login before, with another code, and went well: the state is used up.
    func answeredBefore(in flow: Flow) -> Evidence? {
        guard let state = response.parameters["state"], !state.isEmpty else { return nil }
        let start = flow.capture[exchange].startedAt
        return flow.authorizationResponses.lazy.compactMap { earlier -> Evidence? in
            guard let callback = earlier.callback, callback != exchange, earlier.code != nil,
                earlier.code != response.code, earlier.parameters["state"] == state,
                flow.capture[callback].startedAt < start, Self.isTaken(callback, flow)
            else { return nil }
            return flow.statusEvidence(
                of: callback,
                note: "an answer with the same state and another code, which the app took before"
            )
        }.first
    }

    /// Where what the app said to it stands: the callback, or the request by which its page handed the code on.
    var place: Int { rejection.exchange ?? exchange }

    /// The exchange whose answer says in words what is wrong.
    var wording: Int { notice ?? place }

    /// Those by which the page says that nobody was signed in; nil where it does not.
    func noticeWords(in flow: Flow) -> String? {
        notice.flatMap { flow.capture[$0].response?.body?.bytes }
            .flatMap { FailedLoginNotice.words(in: $0) ?? FailedLoginNotice.warning(in: $0) }
            .map { Excerpt.start(of: $0) }
    }

    /// What the app says from a phrase on; nil where its page does not have it.
    func quote(from phrase: String, in flow: Flow) -> Evidence? {
        let words = PageText.words(of: flow.capture[wording].response?.body, limit: 1 << 16)
        return words.firstRange(of: phrase).map { found in
            Evidence(
                place: Place(exchange: wording, part: .responseBody, name: ""),
                value: Masking.shown(Excerpt.start(of: String(words[found.lowerBound...])), of: "body"),
                note: "the app's own words"
            )
        }
    }

    /// Whether the app went on to the token endpoint: then it had recognised the login.
    func isRedeemed(in flow: Flow) -> Bool {
        !flow.receivedCodes.exchanges(of: response).isEmpty
    }

    /// Whether the app got an ID token for it that it had to refuse.
    func hasFaultyToken(in flow: Flow) -> Bool {
        isRedeemed(in: flow) && OtherFindings.refusedIDTokens.tell(of: flow)
    }

    /// The status, or the redirect, as evidence.
    func evidence(in flow: Flow, note: String? = nil) -> Evidence {
        let answer = flow.capture[place].response
        let status = answer.map { "\($0.status)" } ?? ""
        let said =
            switch rejection.part {
            case .responseStatus: status
            case .responseHeader:
                answer.flatMap { ErrorRedirect.cookie(of: $0, at: flow.capture[place].endedAt) }
                    ?? answer.map { CookieNames.shown($0.setCookies.map(\.name)) } ?? status
            default: answer?.location ?? status
            }
        return Evidence(place: rejection, value: Masking.shown(said, of: "location"), note: note ?? self.note)
    }
}
