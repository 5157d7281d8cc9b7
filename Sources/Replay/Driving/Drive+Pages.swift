import Captures
import Flows
import OAuth

/// The engine's own walk through the provider's pages: redirects, forms, and the response to the app.
extension Drive {
    mutating func browse(_ index: Int) async throws {
        let step = plan.steps[index]
        if browser.isAnswered, browser.isInteraction(index) {
            results[index] = .notNeeded
            return
        }
        if let browse = environment.browse {
            let visits = VisitPlanner(plan: plan, map: options.map)
            if visits.begins(at: index) { return try await visit(index, visits, browse) }
        }
        switch step.action {
        case .follow(let source): try await follow(redirectOf: source, for: index)
        case .submit:
            try await settle(before: index)
            // A form behind the login, as that of a logout, is none of its own.
            if stop == nil, !browser.isAnswered || !browser.isInteraction(index) { try await submit(index) }
        case .send: try await open(index)
        }
        if browser.isAnswered { takeResponse() }
        try await finishLogin(after: index)
    }

    /// Follows the redirect that the answer to a recorded exchange was, where this run has one there.
    private mutating func follow(redirectOf source: Int, for index: Int) async throws {
        let recorded = plan.steps[index].exchange
        if isNotNeeded(source) {
            // Fewer redirects than there were: what they led to is shown.
            results[index] = .notNeeded
            if isArrival(recorded), let shown = browser.shown { learn(from: shown, recorded: recorded) }
            return
        }
        guard let redirected = liveExchange(of: source) else {
            throw StepFailure.notIssued(name: "Location", by: source)
        }
        guard exchanges[redirected].response?.location != nil, browser.caught(exchanges[redirected]) == nil
        else {
            results[index] = .notNeeded
            return
        }
        let live = try await follow(redirected, for: index)
        results[index] = live.map(FlowRun.Result.sent) ?? .notReached
        if let live { learn(from: live, recorded: recorded) }
    }

    /// Opens what the recorded browser opened by itself.
    private mutating func open(_ index: Int) async throws {
        let step = plan.steps[index]
        let isBeginning = browser.isBeginning(step.exchange)
        if step.kind != .authorizationRequest || !isBeginning { try await settle(before: index) }
        guard stop == nil else { return }
        if browser.isAnswered, browser.isInteraction(index) {
            results[index] = .notNeeded
            return
        }
        if isBeginning {
            browser.begin(login: step.exchange)
        } else if try await refresh(for: index) {
            return
        }
        let live = try await send(index)
        guard !step.isNavigation else { return arrive(at: live) }
        let last = try await awaitApproval(index, after: live)
        browser.hear(exchanges[last])
    }

    /// The exchange of this run that stands for one of the recording.
    func liveExchange(of recorded: Int) -> Int? {
        guard let index = plan.steps.firstIndex(where: { $0.exchange == recorded }),
            case .sent(let live) = results[index]
        else { return nil }
        return live
    }

    /// Whether this run went on without an exchange of the recording.
    private func isNotNeeded(_ recorded: Int) -> Bool {
        guard let index = plan.steps.firstIndex(where: { $0.exchange == recorded }) else { return false }
        return results[index] == .notNeeded
    }

    /// Notes the answer to a navigation: what the browser shows now, or the response to the app.
    mutating func arrive(at live: Int) {
        browser.arrive(at: live, exchanges[live])
        if browser.isAnswered { takeResponse() }
    }

    /// Whether a recorded answer is where redirects had led to.
    private func isArrival(_ recorded: Int) -> Bool { capture[recorded].response?.location == nil }

    /// Follows a redirect for a step; nil where it leads out of the replay.
    ///
    /// Where the step arrived, also the redirects behind it, of which the recording had not so many.
    mutating func follow(_ redirected: Int, for index: Int) async throws -> Int? {
        let recorded = plan.steps[index].exchange
        guard let live = try await follow(redirected, like: recorded) else { return nil }
        guard isArrival(recorded), exchanges[live].isRedirect else { return live }
        try await settle(before: index + 1)
        return browser.shown ?? live
    }

    /// Follows a redirect; nil where it leads out of the replay.
    mutating func follow(_ redirected: Int, like recorded: Int?) async throws -> Int? {
        guard
            let request = browser.redirect(
                of: exchanges[redirected],
                like: recorded.map(plannedRequest)
            )
        else { return nil }
        guard browser.allows(request.url) else {
            stop = .leadsElsewhere(url: request.url.withoutQuery)
            return nil
        }
        let live = try await exchange(
            recorded == nil ? request : withFreshHeaders(request),
            isBrowser: true,
            like: recorded
        )
        arrive(at: live)
        return live
    }

    /// The request with the values of this run in the header fields that it has from the recorded one: a page's script sends a token
    /// against forgery in one, and `fetch` sends it on where it is redirected.
    private func withFreshHeaders(_ request: RecordedRequest) -> RecordedRequest {
        var request = request
        request.headers.fields = request.headers.fields.map { field in
            let fresh = composer.values.replacing(in: field.value)
            guard fresh != field.value else { return field }
            var field = field
            field.value = fresh
            return field
        }
        return request
    }

    /// What the request of a step is made of, by its recorded exchange.
    private func plannedRequest(of recorded: Int) -> RecordedRequest {
        plan.steps.first { $0.exchange == recorded }?.request ?? capture[recorded].request
    }

    /// Goes on by redirects, and by pages that go on by themselves, that the recording had not.
    ///
    /// `next`: the first step of the browser from there on comes then, and its form is left to it.
    mutating func settle(before next: Int? = nil) async throws {
        var count = 0
        while stop == nil, !browser.isAnswered, let live = browser.shown {
            if exchanges[live].isRedirect {
                guard try await follow(live, like: nil) != nil else { return }
            } else if !isForm(of: next, on: exchanges[live]), !leads(exchanges[live], to: next),
                let request = browser.automaticRequest(on: exchanges[live]), browser.allows(request.url)
            {
                let next = try await exchange(request, isBrowser: true, like: nil)
                arrive(at: next)
            } else {
                return
            }
            count += 1
            if count > 20 {
                stop = .tooManyRedirects(url: exchanges[exchanges.count - 1].request.url.withoutQuery)
            }
        }
    }

    /// Whether the first step of the browser from one on sends the form of a page that seems to go on by itself.
    private func isForm(of next: Int?, on shown: Exchange) -> Bool {
        guard let next, let step = plan.steps[next...].first(where: \.isBrowser),
            case .submit = step.action, let page = Page(shown), page.automaticForm != nil
        else { return false }
        return form(of: step.request, on: page) != nil
    }

    /// Whether the first step of the browser from one on is where a page goes on to by itself.
    private func leads(_ shown: Exchange, to next: Int?) -> Bool {
        guard let next, let step = plan.steps[next...].first(where: \.isBrowser),
            let request = browser.refresh(on: shown)
        else { return false }
        return isRefresh(request, for: step)
    }

    /// Goes on as the page that is shown does by itself, where a step of the recording was that; says whether it was.
    private mutating func refresh(for index: Int) async throws -> Bool {
        let step = plan.steps[index]
        guard let shown = browser.shown, !exchanges[shown].isRedirect,
            let request = browser.refresh(on: exchanges[shown]), isRefresh(request, for: step)
        else { return false }
        let live = try await exchange(request, isBrowser: true, like: step.exchange)
        results[index] = .sent(live)
        learn(from: live, recorded: step.exchange)
        arrive(at: live)
        return true
    }

    /// Whether the request that a page's refresh makes is the one of a step: its path, but for parameters such as `;jsessionid=…`,
    /// and the names in its query are the recorded ones.
    private func isRefresh(_ request: RecordedRequest, for step: PlannedStep) -> Bool {
        guard case .send = step.action, step.isNavigation, step.request.method == "GET",
            browser.allows(request.url)
        else { return false }
        let recorded = options.map.mapped(step.request.url)
        func names(_ url: RecordedURL) -> Set<String> { Set(url.queryItems.items.map(\.name)) }
        return recorded.origin == request.url.origin
            && recorded.pathWithoutParameters == request.url.pathWithoutParameters
            && names(recorded) == names(request.url)
    }

    /// The form of a page that a recorded request sent.
    private func form(of recorded: RecordedRequest, on page: Page) -> HTMLForm? {
        let isPost = recorded.method == "POST"
        guard let items = isPost ? FormBody.items(of: recorded.body) : recorded.url.queryItems
        else { return nil }
        return FormMatch.best(
            in: page,
            for: items,
            isPost: isPost,
            target: options.map.mapped(recorded.url)
        )
    }

    mutating func submit(_ index: Int) async throws {
        let step = plan.steps[index]
        let recorded = step.request
        let page = browser.shown.flatMap { Page(exchanges[$0]) }
        var request: RecordedRequest
        if let page, let typed = typedByAnotherName(on: page, step),
            let renamed = browser.passwordForm(
                on: page,
                SignIn(plan, options.credentials, typing: typed),
                like: recorded
            )
        {
            request = renamed
        } else if let page, let asked = nameAskedAlone(step),
            !page.forms.contains(where: { $0.fields.contains { $0.name == asked } }),
            let renamed = browser.nameForm(on: page, SignIn(plan, options.credentials), like: recorded)
        {
            request = renamed
        } else if let page, let form = form(of: recorded, on: page) {
            let fields = try composer.fields(of: form, for: step, at: environment.clock())
            request = browser.request(submitting: form, of: page, fields, like: recorded)
            if isSentByScript(step, to: request.url) {
                request.url = try composer.request(for: step, at: environment.clock()).url
            }
        } else {
            // Saved without its page, or made by a script: as recorded, with the values of this run.
            let live = try await send(index)
            return arrive(at: live)
        }
        let live = try await exchange(withFreshHeaders(request), isBrowser: true, like: step.exchange)
        results[index] = .sent(live)
        learn(from: live, recorded: step.exchange)
        arrive(at: live)
    }

    /// Whether the recorded page's script sent its form elsewhere than the form says, which says the same in this run.
    ///
    /// `own`: where the form of the new page goes.
    private func isSentByScript(_ step: PlannedStep, to own: RecordedURL) -> Bool {
        let recorded = step.request
        guard case .submit(let source) = step.action, recorded.method == "POST",
            let page = Page(capture[source]), let items = FormBody.items(of: recorded.body),
            let form = FormMatch.best(in: page, for: items, isPost: true, target: recorded.url)
        else { return false }
        let said = page.target(of: form, sentTo: recorded.url).url
        return said.path != recorded.url.path && options.map.mapped(said).path == own.path
    }

    /// What was typed as a password where a page asks for one by a name that the recorded page did not have: it goes into the field for
    /// it, whatever that is called.
    ///
    /// Nil elsewhere, and where more than one was typed.
    private func typedByAnotherName(on page: Page, _ step: PlannedStep) -> PlannedParameter? {
        guard case .submit(let source) = step.action, FormBody.items(of: step.request.body) != nil,
            let recorded = Page(capture[source])
        else { return nil }
        func asked(_ page: Page) -> Set<String> {
            Set(page.forms.flatMap(\.fields).filter { $0.type == "password" }.map(\.name))
        }
        let (known, new) = (asked(recorded), asked(page))
        let entered = step.parameters.filter { SignIn.isTyped($0) && known.contains($0.name) }
        guard entered.count == 1, let typed = entered.first, !new.isEmpty, new.isDisjoint(with: known),
            // A code that is good once is no password, nor is a password such a code.
            new.allSatisfy({ SecretNames.isOneTime($0) == SecretNames.isOneTime(typed.name) })
        else { return nil }
        return typed
    }

    /// The name of the field in which the recorded page asked who one is, and for no secret beside it; nil of another page.
    private func nameAskedAlone(_ step: PlannedStep) -> String? {
        guard case .submit = step.action, FormBody.items(of: step.request.body) != nil,
            !step.parameters.contains(where: SignIn.isTyped)
        else { return nil }
        return step.parameters.first { parameter in
            if case .secret(SecretNames.username, _) = parameter.source { return true }
            return plan.namesUser(parameter)
        }?.name
    }

    /// When the recorded interaction is over and the response is not there: the provider asks for something else
    /// today.
    mutating func finishLogin(after index: Int) async throws {
        guard stop == nil, !browser.isAnswered, browser.isLastInteraction(index),
            browser.expectsResponse
        else { return }
        try await goOnAsItsScript(after: index)
        var tries = 0
        while stop == nil, !browser.isAnswered, tries < 6 {
            try await settle()
            guard stop == nil, !browser.isAnswered, let shown = browser.shown,
                let page = Page(exchanges[shown])
            else { break }
            guard let request = browser.unrecordedForm(on: page, plan, options.credentials) else {
                if (exchanges[shown].response?.status ?? 0) < 400 {
                    let url = page.url.withoutQuery
                    stop =
                        asksAgain(page, forWhatWasEnteredIn: index)
                        ? .secretNotTaken(url: url, title: page.title)
                        : .unknownPage(url: url, title: page.title)
                }
                return
            }
            // A password that was not taken once is not taken again, and accounts are locked for less.
            guard !SentSecrets(exchanges, of: plan.flow).areRepeated(by: request) else {
                stop = .secretNotTaken(url: page.url.withoutQuery, title: page.title)
                return
            }
            let live = try await exchange(request, isBrowser: true, like: nil)
            arrive(at: live)
            tries += 1
        }
        if browser.isAnswered { takeResponse() }
    }

    /// Whether a page asks for what the step before it entered, as a code, and a sign-in page does not.
    private func asksAgain(_ page: Page, forWhatWasEnteredIn index: Int) -> Bool {
        guard case .sent = results[index] else { return false }
        let asked = Set(page.forms.flatMap(\.fields).filter { $0.type != "hidden" }.map(\.name))
        return plan.steps[index].parameters.contains { SignIn.isTyped($0) && asked.contains($0.name) }
    }

    /// The values of the response to the app, in place of the recorded ones.
    mutating func takeResponse() {
        guard let response = browser.takeResponse() else { return }
        let recorded = plan.flow.authorizationResponses.first { recorded in
            browser.login.map { $0.response?.exchange == recorded.exchange } ?? false
        }
        guard let recorded else {
            let driven = Set(plan.steps.map(\.exchange))
            if browser.login?.response == nil, let live = response["code"],
                let lost = LostCode(of: plan.flow, driven: driven)
            {
                composer.values.bind(lost.value, to: live)
            }
            return
        }
        for parameter in recorded.parameters.items {
            if let live = response[parameter.name], !parameter.value.isEmpty {
                composer.values.bind(parameter.value, to: live)
            }
        }
    }
}

extension Exchange {
    fileprivate var isRedirect: Bool {
        guard let response else { return false }
        return response.location != nil && (300..<400).contains(response.status)
    }
}

extension RecordedURL {
    /// The path without what stands behind a semicolon in its segments (RFC 3986, section 3.3).
    fileprivate var pathWithoutParameters: String {
        path.utf8.split(separator: 0x2f, omittingEmptySubsequences: false)
            .map { String(Substring($0.prefix { $0 != 0x3b })) }.joined(separator: "/")
    }
}
