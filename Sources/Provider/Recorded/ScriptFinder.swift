import Captures
import Flows
import JSON
import OAuth

/// Finds what users met at the provider's pages: for each login, each logout, and besides.
struct ScriptFinder {
    private let issuer: RecordedIssuer
    private let users: UserFinder.Users
    private let passwordFields: PasswordFields

    init(_ issuer: RecordedIssuer, users: UserFinder.Users, passwordFields: PasswordFields) {
        self.issuer = issuer
        self.users = users
        self.passwordFields = passwordFields
    }

    func learn(_ dialect: inout ProviderDialect) {
        for index in issuer.captures {
            var taken: Set<Int> = []
            let flows = issuer.flows.filter { $0.surroundings === index }
            for flow in flows {
                for login in flow.wholeLogins where !flow.capture[login.request.exchange].wasNeverSent {
                    let script = script(of: login, in: flow, index, &taken)
                    if !script.steps.isEmpty { dialect.scripts.append(script) }
                    if script.hadSession, script.error == nil {
                        dialect.sessionCookieNames.formUnion(script.sentCookies)
                    }
                }
            }
            for flow in flows {
                for case .endSession(let call) in flow.messages {
                    let script = script(of: call, in: flow, index, &taken)
                    if !script.steps.isEmpty { dialect.scripts.append(script) }
                }
            }
            let visit = visit(index, taken)
            if visit.steps.contains(where: { !$0.isSafe }) { dialect.scripts.append(visit) }
            for exchange in index.order { shelve(exchange, index, &dialect.shelf) }
        }
    }

    // MARK: - Logins

    private func script(of login: Login, in flow: Flow, _ index: CaptureIndex, _ taken: inout Set<Int>)
        -> InteractionScript
    {
        var script = InteractionScript(purpose: .login)
        script.clientID = login.request.clientID
        script.prompt = (login.request.parameters["prompt"] ?? "").spaceDelimited
        script.parameters = RequestParameters(login.request.parameters.items.map { ($0.name, $0.value) })
        script.subject = users.subjects[UserFinder.FlowKey(flow)]
        let first = login.request.exchange
        let end = end(of: login, in: flow, index)
        var exchanges: [Int] = []
        for exchange in index.order[index.position[first]...] {
            guard index.position[exchange] <= end else { break }
            guard belongs(exchange, to: flow, index, taken) || exchange == first else { continue }
            exchanges.append(exchange)
        }
        for exchange in exchanges { taken.insert(exchange) }
        exchanges = Self.withoutOutages(exchanges, index)
        script.steps = exchanges.map { step(index.capture[$0]) }
        mark(&script, exchanges, login, index)
        Self.markFailures(&script)
        if !script.steps.contains(where: { $0.delivery != nil }) {
            Self.markRefusals(&script, exchanges, index)
        }
        let delivered =
            (login.response?.parameters.items.map(\.value) ?? []) + [script.deliveredCode].compactMap(\.self)
        script.issued = Self.issued(script, besides: delivered)
        if let error = login.response?.error {
            script.errorMode = login.response?.mode
            script.error =
                login.response?.parameters.items
                .filter { $0.name.hasPrefix("error") }.map { ($0.name, $0.value) } ?? [("error", error.error)]
        }
        let recorded = index.capture[first].request
        script.sentCookies = Set(recorded.cookies.map(\.name))
        script.hadSession = login.response?.deliveredBy == first && !recorded.cookies.isEmpty
        return script
    }

    /// The place in time of the last exchange that may belong to a login: the one that delivered its response, the one
    /// before its callback, or that before the next login.
    private func end(of login: Login, in flow: Flow, _ index: CaptureIndex) -> Int {
        if let exchange = login.response?.deliveredBy { return index.position[exchange] }
        if let callback = login.response?.callback { return index.position[callback] - 1 }
        let first = index.position[login.request.exchange]
        let next = flow.authorizationRequests.map { index.position[$0.exchange] }.filter { place in
            place > first
                && flow.capture[index.order[place]].request.url.text
                    != flow.capture[login.request.exchange].request.url.text
        }.min()
        return (next ?? index.order.count) - 1
    }

    private func belongs(_ exchange: Int, to flow: Flow, _ index: CaptureIndex, _ taken: Set<Int>) -> Bool {
        let recorded = index.capture[exchange]
        guard isPage(recorded), !taken.contains(exchange) else { return false }
        switch index.messages[exchange] {
        case nil: break
        // The provider's own way back to its endpoint.
        case .authorizationRequest: return flow.exchanges.contains(exchange)
        default: return false
        }
        if flow.exchanges.contains(exchange) { return true }
        return !issuer.flows.contains { $0.surroundings === index && $0.exchanges.contains(exchange) }
    }

    /// Without requests that came to nothing and were sent again.
    private static func withoutOutages(_ exchanges: [Int], _ index: CaptureIndex) -> [Int] {
        exchanges.enumerated().filter { place, exchange in
            guard (index.capture[exchange].response?.status ?? 502) >= 500 else { return true }
            let failed = index.capture[exchange].request
            return !exchanges[(place + 1)...].contains { later in
                let request = index.capture[later].request
                return request.method == failed.method && request.url.path == failed.url.path
            }
        }.map(\.element)
    }

    /// Whether an exchange is one of the provider's pages or of their scripts' calls.
    private func isPage(_ exchange: Exchange) -> Bool {
        guard let origin = AddressMap.origin(of: exchange.request.url), issuer.origins.contains(origin),
            exchange.response != nil, exchange.request.method != "OPTIONS",
            exchange.request.method != "CONNECT"
        else { return false }
        return !Asset.isAsset(exchange)
    }

    /// Marks the step from which the response left.
    private func mark(
        _ script: inout InteractionScript,
        _ exchanges: [Int],
        _ login: Login,
        _ index: CaptureIndex
    ) {
        let response = login.response
        if let place = exchanges.firstIndex(where: { $0 == response?.deliveredBy }) {
            let isRedirect = script.steps[place].location != nil
            script.steps[place].delivery = isRedirect ? .redirect : .body
            // A page that opens an app knows one address, and nothing but a code.
            if !isRedirect, let response, response.mode == .query, !response.target.isWeb {
                script.deliveredCode = response.parameters["code"]
            }
            return
        }
        // A script of the page sent the browser on, with what an answer told it; where to is not seen of an app's own scheme.
        let value =
            response == nil
            ? login.tokenRequests.first { $0.answer.isSuccess }?.code
            : response?.code ?? response?.parameters["id_token"] ?? response?.parameters["access_token"]
        guard let value, value.utf8.count >= 8 else { return }
        let place = script.steps.lastIndex { step in
            guard let body = step.body, (body.size ?? 0) < 1 << 20 else { return false }
            return body.text?.contains(value) ?? false
        }
        guard let place else { return }
        script.steps[place].delivery = .body
        if response == nil { script.deliveredCode = value }
    }

    /// Tries that another one with another password followed, and refused ones.
    private static func markFailures(_ script: inout InteractionScript) {
        let tries = script.steps.indices.filter { script.steps[$0].credentials?.password != nil }
        guard let last = tries.last else { return }
        for index in tries {
            let step = script.steps[index]
            let isOther =
                index != last && step.url.path == script.steps[last].url.path
                && step.credentials?.password != script.steps[last].credentials?.password
            if isOther || step.status == 401 || step.status == 403 {
                script.steps[index].isFailedSignIn = true
            }
        }
    }

    /// In a login in which nobody got in, tries that were answered with the page once more.
    private static func markRefusals(
        _ script: inout InteractionScript,
        _ exchanges: [Int],
        _ index: CaptureIndex
    ) {
        for (place, exchange) in exchanges.enumerated() where script.steps[place].credentials?.password != nil
        {
            let response = index.capture[exchange].response
            if response?.asksForPasswordAgain(script.steps[place].fields) ?? false {
                script.steps[place].isFailedSignIn = true
            }
        }
    }

    // MARK: - Logouts and visits

    private func script(of call: EndpointCall, in flow: Flow, _ index: CaptureIndex, _ taken: inout Set<Int>)
        -> InteractionScript
    {
        var script = InteractionScript(purpose: .logout)
        script.clientID = call.parameters["client_id"] ?? flow.clientID
        script.parameters = RequestParameters(call.parameters.items.map { ($0.name, $0.value) })
        let course = LogoutCourse(of: call, in: index)
        guard !course.isRefused, !course.isDeclined, course.end != .unanswered else { return script }
        let start = index.capture[call.exchange].startedAt
        let target = course.wanted.map { RecordedURL($0.value).withoutQuery }
        var exchanges: [Int] = []
        for exchange in index.order[index.position[call.exchange]...] {
            let recorded = index.capture[exchange]
            if exchange != call.exchange {
                guard recorded.startedAt - start <= .seconds(300) else { break }
                if case .authorizationRequest = index.messages[exchange] { break }
                if case .endSession = index.messages[exchange] { break }
                guard index.messages[exchange] == nil, isPage(recorded), !taken.contains(exchange) else {
                    continue
                }
            }
            exchanges.append(exchange)
            taken.insert(exchange)
            if Self.leads(recorded, to: target) { break }
        }
        script.steps = exchanges.map { step(index.capture[$0]) }
        if let last = exchanges.last, Self.leads(index.capture[last], to: target) {
            script.steps[script.steps.count - 1].delivery = .redirect
        }
        script.issued = Self.issued(script)
        return script
    }

    private static func leads(_ exchange: Exchange, to target: String?) -> Bool {
        guard let target, let location = exchange.response?.location else { return false }
        return exchange.request.url.resolving(location).withoutQuery == target
    }

    /// What nobody's login or logout was: somebody signs in, or looks around.
    private func visit(_ index: CaptureIndex, _ taken: Set<Int>) -> InteractionScript {
        var script = InteractionScript(purpose: .visit)
        let exchanges = index.order.filter { exchange in
            index.messages[exchange] == nil && !taken.contains(exchange) && isPage(index.capture[exchange])
        }
        script.steps = exchanges.map { step(index.capture[$0]) }
        Self.markFailures(&script)
        script.issued = Self.issued(script)
        script.subject = users.list.first?.subject
        return script
    }

    private func shelve(_ exchange: Int, _ index: CaptureIndex, _ shelf: inout AssetShelf) {
        let recorded = index.capture[exchange]
        guard recorded.request.method == "GET", index.messages[exchange] == nil,
            let response = recorded.response,
            response.body?.isRecorded ?? false,
            let origin = AddressMap.origin(of: recorded.request.url),
            issuer.origins.contains(origin)
        else { return }
        shelf.put(response, at: recorded.request.url)
    }

    // MARK: - Steps

    private func step(_ exchange: Exchange) -> InteractionScript.Step {
        let request = exchange.request
        let response = exchange.response ?? RecordedResponse(status: 502)
        let fields = FormBody.items(of: request.body)?.items.map(\.name)
        let members = JSONBody.value(of: request.body)?.object?.members.map(\.name)
        return InteractionScript.Step(
            method: request.method,
            url: request.url,
            sentText: (request.body?.size ?? 0) < 1 << 16 ? request.body?.text ?? "" : "",
            fields: Set(fields ?? members ?? []),
            credentials: SignInCredentials(of: request, fields: passwordFields),
            // Whoever asks here has nothing in its cache; some recorders give the body from theirs.
            status: response.status == 304 && response.body?.hasBytes == true ? 200 : response.status,
            headers: AnswerTemplate.reusable(response.headers),
            cookies: response.setCookies,
            location: response.sentLocation.map { location in
                let (target, isLatin1) = request.resolving(location)
                return SentText(target.text, isLatin1: isLatin1)
            },
            body: response.body,
            answeredAt: exchange.endedAt
        )
    }

    /// Values that the provider made up for a run: long ones, not the client's, that are set as a cookie, or handed out
    /// in a redirect, a form or a JSON answer.
    ///
    /// `given`: what the protocol gives out, and who issues it replaces.
    private static func issued(_ script: InteractionScript, besides given: [String] = []) -> [String] {
        var found: [String] = []
        var seen = Set(given)
        var sent = script.parameters.items.map(\.value)
        func take(_ value: String) {
            guard looksMadeUp(value), !sent.contains(where: { $0.contains(value) }),
                seen.insert(value).inserted
            else { return }
            found.append(value)
        }
        // What comes back in a later request.
        let later = script.steps.map { $0.url.text + " " + $0.sentText }
        for (index, step) in script.steps.enumerated() {
            sent += [step.credentials?.user, step.credentials?.password].compactMap { $0 }
            for cookie in step.cookies { take(PercentEncoding.decode(cookie.value)) }
            // A name that carries its own value changes with it.
            for cookie in step.cookies
            where cookie.name.utf8.count > 24
                && !(cookie.value.utf8.count >= 8 && cookie.name.contains(cookie.value))
            {
                take(cookie.name)
            }
            if step.delivery == nil, let location = step.location {
                for item in RecordedURL(location.text).queryItems.items { take(item.value) }
            }
            guard let body = step.body, (body.size ?? 0) < 1 << 20 else { continue }
            if body.isPage, let page = body.bytes {
                for form in HTMLForm.all(in: page) {
                    for item in RecordedURL(form.action).queryItems.items { take(item.value) }
                    for field in form.fields where field.type == "hidden" { take(field.value) }
                }
            } else if let json = JSONBody.value(of: body) {
                for text in strings(json) where later[index...].contains(where: { $0.contains(text) }) {
                    take(text)
                }
            }
        }
        return found
    }

    private static func strings(_ value: JSONValue, depth: Int = 0) -> [String] {
        guard depth < 6 else { return [] }
        return switch value {
        case .string(let text): text.utf8.count >= 12 ? [text] : []
        case .array(let elements): elements.flatMap { strings($0, depth: depth + 1) }
        case .object(let object): object.members.flatMap { strings($0.value, depth: depth + 1) }
        default: []
        }
    }

    /// Long, with digits, and neither address, date nor sentence.
    private static func looksMadeUp(_ value: String) -> Bool {
        let bytes = Array(value.utf8)
        guard (12...4096).contains(bytes.count), bytes.contains(where: { $0.isASCIIDigit }),
            !bytes.contains(0x20), bytes.first != 0x2f, RecordedURL(value).authority == nil,
            Timestamp(rfc3339: value) == nil, ValueTemplate(like: value).isUnguessable
        else { return false }
        // Names with a scheme (`urn:…`) mean the same every time, and an app has its address there (RFC 8252, section 7.1).
        return !value.hasPrefix("urn:") && !isAppAddress(value)
    }

    /// Whether a text is an address of an app's own scheme, which has no host: `com.example.app:/callback`.
    private static func isAppAddress(_ text: String) -> Bool {
        guard let scheme = RecordedURL(text).scheme else { return false }
        return text.utf8.dropFirst(scheme.utf8.count).starts(with: [0x3a, 0x2f])
    }
}
