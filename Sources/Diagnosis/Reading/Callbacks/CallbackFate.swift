import Captures
import Flows
import OAuth

/// What the app did with the provider's answer, as far as the browser could see.
enum CallbackFate: Equatable {
    /// Refused: 4xx or 5xx, a page headed by an error, the form to sign in with and a message, a redirect that names one or
    /// leads to a page that does or is there for errors alone, a new login at once, a page whose server refuses the code that
    /// it hands on, or one that ends it all while the app's server, which is in the capture, leaves the code alone.
    case rejected(Place)
    /// Redirected to a page of the app that is no error page.
    case sentOn
    /// Answered with a page, which may say anything; or not answered.
    case unknown
}

extension Flow {
    func fate(ofCallback exchange: Int) -> CallbackFate {
        derived.value { CallbackFates(self) }.fates[exchange] ?? .unknown
    }

    /// Whether the app stopped at an answer: refused it, or never used its code though the callback did not
    /// go on, or though it was seen to do nothing for a while.
    func stopped(at response: AuthorizationResponse) -> Bool {
        guard ending != .success, !wentOn(after: response) else { return false }
        guard let callback = response.callback else {
            // An app on a device refuses what it is handed without a word.
            guard !response.target.isWeb, case .found = UnredeemedCode.Reading(of: self) else { return false }
            return true
        }
        if case .rejected = fate(ofCallback: callback) { return true }
        return false
    }

    /// The exchange that shows the app's server at work beside a callback that came to nothing; nil where it did not.
    func deadEndWitness(at callback: Int) -> Int? {
        derived.value { CallbackFates(self) }.witnesses[callback]
    }
}

/// What became of every callback of a flow, read once: a dozen rules ask.
private struct CallbackFates: Sendable {
    var fates: [Int: CallbackFate] = [:]
    /// Of those that are a dead end.
    var witnesses: [Int: Int] = [:]
    private let redeemed: [String: Timestamp]

    init(_ flow: Flow) {
        redeemed = ErrorHeading.redemptions(of: flow.tokenRequests)
        let logins = Dictionary(
            flow.logins.compactMap { login in login.response?.callback.map { ($0, login) } },
            uniquingKeysWith: { first, _ in first }
        )
        let codes = Set(flow.tokenRequests.compactMap(\.code))
        let anew = Set(
            flow.authorizationRequests.flatMap { flow.surroundings.redirects(leadingTo: $0.exchange) }
        )
        for callback in flow.authorizationResponses.compactMap(\.callback) where fates[callback] == nil {
            if let login = logins[callback], let response = login.response {
                witnesses[callback] = DeadEnd.witness(
                    of: response,
                    to: login.request,
                    exchanged: codes,
                    in: flow.surroundings
                )
            }
            fates[callback] = fate(of: callback, logins[callback], anew, flow)
        }
    }

    private func fate(of callback: Int, _ login: Login?, _ anew: Set<Int>, _ flow: Flow) -> CallbackFate {
        guard let response = flow.capture[callback].response else { return .unknown }
        let refusal = CallbackRefusal(
            at: callback,
            of: login?.response?.code,
            flow.tokenRequests,
            redeemed: redeemed,
            in: flow.surroundings
        )
        if response.status >= 400 {
            return refusal == .status && !isRelayed(login, flow) ? rejected(callback) : .unknown
        }
        guard response.isRedirection, let location = response.location else {
            return refusal != nil || witnesses[callback] != nil
                ? rejected(callback) : fate(ofPageOf: login, flow)
        }
        return fate(ofRedirectAt: callback, to: location, refusal, anew, flow)
    }

    private func rejected(_ exchange: Int) -> CallbackFate {
        .rejected(Place(exchange: exchange, part: .responseStatus, name: ""))
    }

    /// Whether the app's back end took the code that it was handed all the same.
    private func isRelayed(_ login: Login?, _ flow: Flow) -> Bool {
        guard let login, login.tokenRequests.isEmpty else { return false }
        return AppHandover.relayedOutcome(of: flow) == .success
    }

    /// Of a page that says nothing: it may have handed the code on.
    private func fate(ofPageOf login: Login?, _ flow: Flow) -> CallbackFate {
        guard let login, let answer = login.response,
            let refused = HandedOnCode.refusal(
                of: answer,
                to: login.request,
                exchangedBy: login.tokenRequests,
                in: flow.surroundings
            )
        else { return .unknown }
        return rejected(refused)
    }

    private func fate(
        ofRedirectAt callback: Int,
        to location: String,
        _ refusal: CallbackRefusal?,
        _ anew: Set<Int>,
        _ flow: Flow
    ) -> CallbackFate {
        let exchange = flow.capture[callback]
        let name = ErrorRedirect.parameter(of: exchange.request.url.resolving(location))
        if name == nil, let response = exchange.response,
            refusal == .forgotten || ErrorRedirect.cookie(of: response, at: exchange.endedAt) != nil
        {
            return .rejected(Place(exchange: callback, part: .responseHeader, name: "Set-Cookie"))
        }
        if name != nil || anew.contains(callback) || refusal == .notice
            || PageOfErrors.isShown(behind: callback, in: flow.surroundings)
        {
            return .rejected(Place(exchange: callback, part: .responseLocation, name: name ?? ""))
        }
        guard case .lost(let place) = refusal else { return .sentOn }
        return rejected(place)
    }
}
