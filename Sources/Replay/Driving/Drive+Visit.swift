import Captures
import Flows

/// The walk of a real browser.
extension Drive {
    /// A real browser walks from a request to its response, or to the last page of a logout.
    mutating func visit(_ index: Int, _ visits: VisitPlanner, _ browse: FlowDriver.Browse)
        async throws
    {
        let step = plan.steps[index]
        let request = try composer.request(for: step, at: environment.clock())
        guard browser.allows(request.url) else {
            throw StepFailure.notAllowed(origin: request.url.origin ?? request.url.text)
        }
        let isLogin = step.kind == .authorizationRequest
        if isLogin { browser.begin(login: step.exchange) }
        let covered = visits.steps(from: index)
        let (cookies, mark) = browser.cookieJars.jar.cookies(after: cookiesInBrowser)
        let outcome = await browse(visit(of: covered, opening: request, with: cookies, isLogin: isLogin))
        let first = exchanges.count
        take(outcome.exchanges)
        cookiesInBrowser = browser.cookieJars.jar.cookies(after: mark).mark
        let pairs = visits.pairs(covered, outcome.exchanges, composer.values)
        for covered in covered {
            guard let live = pairs[covered] else {
                results[covered] = .notNeeded
                continue
            }
            results[covered] = .sent(first + live)
            learn(from: first + live, recorded: plan.steps[covered].exchange)
        }
        end(outcome.ending, isLogin: isLogin)
    }

    /// What a browser is to do in place of some steps.
    private func visit(
        of covered: [Int],
        opening request: RecordedRequest,
        with cookies: [BrowserVisit.Cookie],
        isLogin: Bool
    ) -> BrowserVisit {
        let target =
            request.url.queryItems.first(isLogin ? "redirect_uri" : "post_logout_redirect_uri")
            ?? (isLogin ? browser.redirectURI : nil)
        let walk = browser
        return BrowserVisit(
            url: request.url,
            target: target.map { RedirectTarget($0) },
            expectsResponse: isLogin && browser.expectsResponse,
            entries: PersonsEntries(
                of: covered.map { plan.steps[$0] },
                in: plan,
                credentials: options.credentials,
                overrides: options.plan.overrides
            ),
            cookies: cookies,
            isForPerson: isLogin,
            allows: { walk.allows($0) }
        )
    }

    /// Takes over what a browser has sent and was answered.
    private mutating func take(_ visited: [Exchange]) {
        for exchange in visited {
            if let response = exchange.response {
                composer.noteAnswer(response, from: exchange.request.url)
                browser.store(response, from: exchange.request.url, at: exchange.endedAt)
            }
            exchanges.append(exchange)
            environment.tell(.exchanged(exchange))
        }
    }

    mutating func end(_ ending: BrowserVisit.Ending, isLogin: Bool) {
        switch ending {
        case .answered(let items):
            guard isLogin else { return }
            browser.answered(items)
            takeResponse()
        case .settled: break
        case .stuck(let url, let title, let fields):
            stop = .stuckPage(url: url, title: title, fields: fields)
        case .leadsElsewhere(let url): stop = .leadsElsewhere(url: url)
        case .closed: stop = .windowClosed
        case .failed(let reason): stop = Task.isCancelled ? .cancelled : .browserFailed(reason: reason)
        }
    }
}
