import Captures
import Flows
import OAuth

/// The browser of a run: its cookies, the page that it shows, and the response that it would hand to the app.
struct BrowserWalk {
    private let plan: ReplayPlan
    private let logins: [Login]
    private let map: EndpointMap
    private let origins: Set<String>
    private let allowed: PlanOptions
    private var jar: CookieJar
    /// What a browser with the recorded answers would have sent: what the recorded one lost is lost again.
    private var recordedJar: CookieJar
    private let recordsCookies: Bool
    /// The last answer to a navigation; an index into the run's exchanges.
    private(set) var shown: Int?
    /// The login that is under way.
    private(set) var login: Login?
    /// Where its response is to go.
    private(set) var redirectURI: String?
    /// The same, of a request that was pushed for a login that has not begun (RFC 9126).
    private var pushedRedirectURI: String?
    private var response: QueryItems?
    private(set) var isAnswered = false

    init(plan: ReplayPlan, map: EndpointMap, options: PlanOptions, state: RunState) {
        jar = state.jar
        recordedJar = state.recordedJar
        self.plan = plan
        logins = plan.flow.logins
        self.map = map
        allowed = options
        var origins = Set(plan.origins.map { map.mapped(RecordedURL($0 + "/")).origin ?? $0 })
        for entry in map.entries { if let origin = RecordedURL(entry.new).origin { origins.insert(origin) } }
        for step in plan.steps {
            if let origin = map.mapped(step.request.url).origin {
                origins.insert(origin)
            }
        }
        self.origins = origins
        recordsCookies = plan.steps.contains { !plan.flow.capture[$0.exchange].request.cookies.isEmpty }
    }

    /// Puts in what the browser had before the recording began.
    mutating func begin(at now: Timestamp) {
        for cookie in plan.cookies {
            let set = RecordedResponse(
                status: 200,
                headers: HeaderFields([
                    HeaderFields.Field(
                        name: "Set-Cookie",
                        value: "\(cookie.cookie.name)=\(cookie.cookie.value); Path=/",
                        isLatin1: cookie.cookie.isLatin1
                    )
                ])
            )
            jar.store(set, from: map.mapped(cookie.url), at: now)
            recordedJar.store(set, from: cookie.url, at: plan.flow.started)
        }
    }

    /// Whether a request may go there.
    func allows(_ url: RecordedURL) -> Bool {
        guard let origin = url.origin else { return false }
        return origins.contains(origin) || allowed.allows(origin, host: url.host)
    }

    // MARK: - Cookies

    var cookieJars: (jar: CookieJar, recorded: CookieJar) { (jar, recordedJar) }

    /// The `Cookie` header of a request; without the cookies that the recorded browser did not send.
    func cookies(for url: RecordedURL, like recorded: Int?, at now: Timestamp) -> HeaderFields.Field? {
        guard let header = jar.header(for: url, at: now) else { return nil }
        guard recordsCookies, let recorded else { return header }
        let exchange = plan.flow.capture[recorded]
        let expected =
            recordedJar.header(for: exchange.request.url, at: exchange.startedAt)
            .map(CookieHeader.pairs(of:)) ?? []
        let sent = Set(exchange.request.cookies.map(\.sentName.bytes))
        let lost = Set(expected.map(\.sentName.bytes)).subtracting(sent)
        guard !lost.isEmpty else { return header }
        let kept = CookieHeader.pairs(of: header).filter { !lost.contains($0.sentName.bytes) }
        return kept.isEmpty ? nil : CookieHeader.field(of: kept)
    }

    mutating func store(_ response: RecordedResponse, from url: RecordedURL, at now: Timestamp) {
        jar.store(response, from: url, at: now)
    }

    mutating func noteRecorded(_ response: RecordedResponse, of exchange: Exchange) {
        recordedJar.store(response, from: exchange.request.url, at: exchange.endedAt)
    }

    // MARK: - The login under way

    /// Whether a recorded authorization request is the first of its login.
    func isBeginning(_ exchange: Int) -> Bool {
        logins.contains { $0.request.exchange == exchange }
    }

    mutating func begin(login exchange: Int) {
        login = logins.first { $0.request.exchange == exchange }
        isAnswered = false
        response = nil
        shown = nil
        redirectURI = pushedRedirectURI ?? login?.request.redirectURI
        pushedRedirectURI = nil
    }

    /// Notes where a request of this run wants the response to go: the recorded one may have named another place.
    mutating func note(_ request: RecordedRequest, of kind: StepKind?) {
        guard kind == .authorizationRequest || kind == .pushedAuthorizationRequest else { return }
        let items = FormBody.items(of: request.body) ?? request.url.queryItems
        guard let uri = items.first("redirect_uri"), !uri.isEmpty else { return }
        if kind == .authorizationRequest { redirectURI = uri } else { pushedRedirectURI = uri }
    }

    var expectsResponse: Bool { login?.response != nil }

    /// Whether a step belongs to the pages between the request and the response of the login under way.
    func isInteraction(_ index: Int) -> Bool {
        guard let login else { return false }
        let position = plan.flow.surroundings.position
        let place = position[plan.steps[index].exchange]
        guard place > position[login.request.exchange] else { return false }
        return login.response.map { place <= position[$0.exchange] } ?? true
    }

    /// Whether the login under way has no further step of its browser.
    func isLastInteraction(_ index: Int) -> Bool {
        guard login != nil else { return false }
        return !plan.steps.indices.dropFirst(index + 1).contains {
            plan.steps[$0].isBrowser && isInteraction($0)
        }
    }

    // MARK: - What an answer brings

    mutating func arrive(at live: Int, _ exchange: Exchange) {
        shown = live
        hear(exchange)
    }

    /// Notes an answer that is shown, or that a script of the page asked for: it may be what the app waits for.
    mutating func hear(_ exchange: Exchange) {
        guard let items = caught(exchange) else { return }
        response = items
        isAnswered = true
    }

    /// The response to the app that an answer carries: in a redirect to it, in a page with an automatic form, or in an address of the
    /// app's that a page, its script, or its script's JSON has.
    func caught(_ exchange: Exchange) -> QueryItems? {
        guard let redirectURI, !isAnswered else { return nil }
        let target = RedirectTarget(redirectURI)
        if let location = exchange.response?.location {
            let url = exchange.request.url.resolving(location)
            return target.response(in: url.openedByIntent ?? url)
        }
        if let page = Page(exchange) {
            for form in page.forms where target.matches(page.target(of: form).url) {
                return QueryItems(
                    items: form.fields.map {
                        QueryItems.Item(name: $0.name, value: $0.value, rawValue: $0.value)
                    }
                )
            }
            if let response = page.refreshTarget.flatMap({ target.response(in: $0.url) }) { return response }
        }
        // Where the app is driven as well, the recorded browser opened it.
        let links = AppLinks(to: [redirectURI], isWebIncluded: true).addresses(in: exchange).filter {
            !$0.isWeb || !allows($0)
        }
        let addresses = links + addresses(inJSONOf: exchange)
        // An address without a code may be where "cancel" leads, or what a script puts one behind.
        return addresses.lazy.compactMap { target.response(in: $0) }.first { response in
            ["code", "response"].contains { !(response.first($0) ?? "").isEmpty }
        }
    }

    /// The addresses that a page's script is told, and that the browser is not to open.
    private func addresses(inJSONOf exchange: Exchange) -> [RecordedURL] {
        strings(inJSONOf: exchange).map { RecordedURL($0.1) }.filter { $0.isWeb && !allows($0) }
    }

    /// What a page's script is told, with the names that it stands under.
    private func strings(inJSONOf exchange: Exchange) -> [(String, String)] {
        guard let body = exchange.response?.body, body.essence?.hasSuffix("json") == true,
            (body.size ?? 0) < 1 << 20, let json = JSONBody.value(of: body)
        else { return [] }
        return ParameterPlanner.strings(in: json)
    }

    /// The name under which the recorded script was told the app's address with the response to the login under way; nil where it was not.
    func nameOfResponse(in recorded: Exchange) -> String? {
        guard let target = (login?.request.redirectURI).map(RedirectTarget.init) else { return nil }
        return strings(inJSONOf: recorded).first { _, text in
            let response = target.response(in: RecordedURL(text))
            return ["code", "response"].contains { !(response?.first($0) ?? "").isEmpty }
        }?.0
    }

    /// The address that a script is told under a name, also one that is relative to its own; nil where it is told none.
    func address(named name: String, in exchange: Exchange) -> RecordedURL? {
        guard let text = strings(inJSONOf: exchange).first(where: { $0.0 == name })?.1,
            text.utf8.first == 0x2f || RecordedURL(text).isWeb
        else { return nil }
        return exchange.request.url.resolving(text)
    }

    /// Whether an address is the app's, whose response is taken from it, be it an error.
    mutating func isTaken(_ url: RecordedURL) -> Bool {
        guard let items = redirectURI.flatMap({ RedirectTarget($0).response(in: url) }) else { return false }
        answered(items)
        return true
    }

    /// The request that opens an address.
    func opening(_ url: RecordedURL) -> RecordedRequest {
        let address = RecordedURL(url.withoutQuery + (url.query.map { "?\($0)" } ?? ""))
        return RecordedRequest(method: "GET", url: address, headers: pageHeaders(nil))
    }

    /// The response that a real browser was about to hand to the app.
    mutating func answered(_ items: QueryItems) {
        response = items
        isAnswered = true
    }

    /// The response, once.
    mutating func takeResponse() -> [String: String]? {
        defer { response = nil }
        return response.map { Dictionary($0.items.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }) }
    }

    // MARK: - Requests of the browser's own

    /// The request that a redirect leads to; nil where there is none.
    ///
    /// `recorded`: the request that followed in the recording, for its headers.
    func redirect(of exchange: Exchange, like recorded: RecordedRequest?) -> RecordedRequest? {
        guard let response = exchange.response, let location = response.sentLocation else { return nil }
        let (target, isLatin1) = exchange.request.following(location)
        // Of the redirects only these two keep method and body (RFC 9110, sections 15.4.8 and 15.4.9).
        let keepsMethod = response.status == 307 || response.status == 308
        // A fragment goes no further than the browser.
        let url = RecordedURL(target.withoutQuery + (target.query.map { "?\($0)" } ?? ""))
        var request = RecordedRequest(
            method: keepsMethod ? exchange.request.method : "GET",
            url: url,
            headers: pageHeaders(recorded ?? exchange.request),
            body: keepsMethod ? exchange.request.body : nil
        )
        request.isURLLatin1 = isLatin1
        if keepsMethod, let type = exchange.request.headers.first("content-type") {
            request.headers.append("Content-Type", type)
        }
        if let recorded {
            request.headers.fields += kept(of: exchange.request, like: recorded).filter {
                // Credentials are for the origin that they were said to.
                url.origin == exchange.request.url.origin
                    || !$0.name.equalsIgnoringASCIICase("authorization")
            }
        }
        return request
    }

    /// What a script's request says of its sender and says again where it is redirected (Fetch, section 4.4), as the recorded one did.
    private func kept(of redirected: RecordedRequest, like recorded: RecordedRequest) -> [HeaderFields.Field]
    {
        redirected.headers.fields.filter { field in
            ["x-requested-with", "authorization", "origin"].contains(field.name.lowercased())
                && (recorded.headers.first(field.name).map { $0 != "null" } ?? false)
        }
    }

    /// What a page does by itself: a refresh, or a form that its script submits.
    func automaticRequest(on exchange: Exchange) -> RecordedRequest? {
        guard let page = Page(exchange) else { return nil }
        if let form = page.automaticForm {
            return request(submitting: form, of: page, form.fields.map { ($0.name, $0.value) }, like: nil)
        }
        return refresh(on: exchange)
    }

    /// The request that a page's refresh makes; nil where it has none.
    func refresh(on exchange: Exchange) -> RecordedRequest? {
        guard let (target, isLatin1) = Page(exchange)?.refreshTarget, target.isWeb else { return nil }
        var request = RecordedRequest(method: "GET", url: target, headers: pageHeaders(exchange.request))
        request.isURLLatin1 = isLatin1
        return request
    }

    func request(
        submitting form: HTMLForm,
        of page: Page,
        _ fields: [(String, String)],
        like recorded: RecordedRequest?
    ) -> RecordedRequest {
        let (target, isLatin1) = page.target(of: form, sentTo: recorded.map { map.mapped($0.url) })
        var headers = pageHeaders(recorded)
        headers.fields += FormSender(page: page.request, target: target, isPost: form.method == "post")
            .fields(like: recorded, isTelling: isTelling)
        let content = FormBody.encode(fields)
        var request: RecordedRequest
        if form.method == "post" {
            headers.append("Content-Type", FormBody.mediaType)
            request = RecordedRequest(
                method: "POST",
                url: RecordedURL(target.withoutQuery + (target.query.map { "?\($0)" } ?? "")),
                headers: headers,
                body: Body(text: content, mediaType: FormBody.mediaType)
            )
        } else {
            let url = RecordedURL(target.withoutQuery + (content.isEmpty ? "" : "?\(content)"))
            request = RecordedRequest(method: "GET", url: url, headers: headers)
        }
        request.isURLLatin1 = isLatin1
        return request
    }

    /// A form that the recording does not know: sign-in with what it knows of the person, or a consent.
    func unrecordedForm(on page: Page, _ plan: ReplayPlan, _ credentials: ReplayCredentials)
        -> RecordedRequest?
    {
        let person = SignIn(plan, credentials)
        for form in page.forms {
            if let fields = person.fields(for: form) {
                return request(submitting: form, of: page, fields, like: nil)
            }
        }
        return nil
    }

    /// The form of a page that asks for one password: one that wants another beside it, as to set a new one, is none to sign in with.
    func passwordForm(on page: Page, _ person: SignIn, like recorded: RecordedRequest) -> RecordedRequest? {
        let form = page.forms.first { form in
            form.method == "post" && form.fields.count { $0.type == "password" } == 1
        }
        guard let form, let fields = person.fields(for: form) else { return nil }
        return request(submitting: form, of: page, fields, like: recorded)
    }

    /// The form of a page that asks for nothing but who one is.
    func nameForm(on page: Page, _ person: SignIn, like recorded: RecordedRequest) -> RecordedRequest? {
        for form in page.forms where form.method == "post" {
            if let fields = person.nameAlone(in: form) {
                return request(submitting: form, of: page, fields, like: recorded)
            }
        }
        return nil
    }

    /// Whether the recorded browser says which page it comes from.
    private var isTelling: Bool {
        plan.steps.contains { $0.isBrowser && $0.request.headers.contains("referer") }
    }

    /// The headers of a navigation, without those that belong to one request.
    private func pageHeaders(_ model: RecordedRequest?) -> HeaderFields {
        let model = model ?? plan.steps.first { $0.isBrowser }.map(\.request)
        let own: Set<String> = [
            "content-type", "origin", "referer", "authorization", "dpop", "x-requested-with",
            "accept-encoding",
        ]
        return HeaderFields(
            (model?.headers.fields ?? []).filter {
                !HeaderRules.isLeftOut($0) && !own.contains($0.name.lowercased())
            } + [HeaderFields.Field(name: "Accept-Encoding", value: "gzip, deflate")]
        )
    }
}
