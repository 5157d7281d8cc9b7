import Captures
import JSON
import OAuth

/// The provider's pages, played from a recording: each request that fits one of a script is answered as that was,
/// with values of its own.
extension ProviderEngine {
    private static var ownCookieName: String { "authreel-transaction" }

    // MARK: - Beginning

    /// The recorded way through the pages that fits a request best; nil where none does.
    mutating func chooseScript(for login: PendingLogin) -> Int? {
        let isSilent = login.prompt.contains("none")
        let all = dialect.scripts.indices.filter { index in
            let script = dialect.scripts[index]
            return script.purpose == .login && !script.steps.isEmpty && script.isSilent == isSilent
        }
        let clientID = recordedID(login.clientID)
        let own = all.filter { dialect.scripts[$0].clientID == clientID }
        if policy.isAsRecorded {
            let number = count("login \(clientID) \(isSilent)")
            return own.isEmpty ? nil : own[min(number, own.count - 1)]
        }
        func isUsable(_ index: Int) -> Bool {
            let script = dialect.scripts[index]
            return script.succeeds && !(script.hadSession && script.steps[0].delivery != nil)
                || script.error == nil
                    && script.steps.contains { $0.credentials?.password != nil && !$0.isFailedSignIn }
        }
        let usable = own.filter(isUsable)
        // The pages of other clients are the same provider's.
        return (usable.isEmpty && !isSilent ? all.filter(isUsable) : usable).max { left, right in
            (fitness(dialect.scripts[left], login), -left) < (fitness(dialect.scripts[right], login), -right)
        }
    }

    private func fitness(_ script: InteractionScript, _ login: PendingLogin) -> Int {
        let names = [
            "response_type", "response_mode", "prompt", "acr_values", "redirect_uri", "scope", "login_hint",
        ]
        let same = names.count { name in
            script.parameters.first { $0.name == name }?.value == login.parameter(name)
        }
        // Another endpoint is another journey of the user (policies of Azure AD B2C); a page to sign in at counts more than any likeness.
        return same + (isOfEndpoint(script, login) ? names.count + 1 : 0) + (script.succeeds ? 20 : 0)
            + (script.answersAtOnce ? 0 : 10)
    }

    /// Whether a script began at the endpoint that a request came to.
    private func isOfEndpoint(_ script: InteractionScript, _ login: PendingLogin) -> Bool {
        guard let first = script.steps.first?.url,
            let endpoint = login.endpoint.flatMap(dialect.addresses.recorded)
        else { return false }
        return EndpointAddress(RecordedURL(endpoint)).takes(EndpointAddress(first))
    }

    /// Begins a script: every value that the provider made up then is made anew, every value of the client is the
    /// one it sent now.
    mutating func open(script index: Int, for purpose: Transaction.Purpose) -> Transaction {
        let script = dialect.scripts[index]
        var transaction = Transaction(id: identifier(), purpose: purpose, script: index)
        for value in script.issued {
            let new = ValueTemplate(like: value).make(random)
            transaction.values.append((value, new))
            state.transactionIDs[new] = transaction.id
        }
        if let login = transaction.login {
            transaction.values += Self.clientValues(script, login.parameters)
            for value in [login.state, login.nonce, login.challenge].compactMap({ $0 }) {
                state.transactionIDs[value] = transaction.id
            }
            if let key = login.state ?? login.nonce ?? login.challenge {
                state.transactionIDs["request " + key] = transaction.id
            }
        } else if let logout = transaction.logout {
            transaction.values += Self.clientValues(script, logout.parameters)
        }
        return open(transaction)
    }

    /// The parameters of the recorded request, with those of this one in their place.
    private static func clientValues(
        _ script: InteractionScript,
        _ parameters: [(name: String, value: String)]
    )
        -> [(old: String, new: String)]
    {
        var values: [(String, String)] = []
        for (name, old) in script.parameters where !common.contains(name) {
            let new = parameters.first { $0.name == name }?.value ?? ""
            if old == new { continue }
            guard old.utf8.count < Substitution.minimumLength else {
                values.append((old, new))
                continue
            }
            // Alone it may be anything: it counts with its name, in a query or in the field of a form.
            values.append(("\(name)=\(old)", "\(name)=\(new)"))
            values.append((field(name, old), field(name, new)))
        }
        return values
    }

    private static func field(_ name: String, _ value: String) -> String {
        "name=\"\(HTMLText.escaped(name))\" value=\"\(HTMLText.escaped(value))\""
    }

    /// Values that mean the same in every login.
    private static var common: Set<String> {
        [
            "response_type", "response_mode", "prompt", "display", "code_challenge_method", "max_age",
            "client_assertion_type",
        ]
    }

    // MARK: - Going on

    /// The answer to a request from a page; nil where it is none.
    mutating func interact(_ request: RecordedRequest) -> BuiltAnswer? {
        if let transaction = transaction(of: request), let answer = interact(request, in: transaction) {
            return answer
        }
        // Somebody comes by himself.
        guard let index = dialect.scripts.firstIndex(where: { $0.purpose == .visit }) else { return nil }
        let visit = open(script: index, for: .visit)
        guard let answer = interact(request, in: visit) else {
            state.transactions[visit.id] = nil
            return nil
        }
        return answer
    }

    mutating func interact(_ request: RecordedRequest, in transaction: Transaction) -> BuiltAnswer? {
        guard let number = transaction.script else { return nil }
        var transaction = transaction
        let script = dialect.scripts[number]
        if case .visit = transaction.purpose { takeDeviceValues(&transaction) }
        guard let index = step(for: request, in: transaction, script) else {
            return emptySignIn(for: request, in: transaction, script)
                .map { refuseSignIn($0, request, transaction, script) }
        }
        let step = script.steps[index]
        if !step.isSafe, let sent = SignInCredentials(of: request, fields: dialect.passwordFields),
            step.credentials != nil
        {
            // The name may have been asked for on a page before.
            let whole = SignInCredentials(
                user: sent.user ?? transaction.typedName,
                password: sent.password
            )
            transaction.typedName = whole.user
            if whole.password != nil {
                guard let user = user(with: whole) else {
                    state.transactions[transaction.id] = transaction
                    return refuseSignIn(index, request, transaction, script)
                }
                transaction.user = user
                transaction.signedInAt = now
            }
        }
        if isDeclined(request, at: index, of: script), let answer = decline(transaction, request) {
            return answer
        }
        return play(index, in: transaction, request)
    }

    /// Answers with a step: as recorded, or, where that was the end, for real.
    mutating func play(_ index: Int, in transaction: Transaction, _ request: RecordedRequest) -> BuiltAnswer?
    {
        guard let number = transaction.script else { return nil }
        let script = dialect.scripts[number]
        guard script.steps.indices.contains(index) else { return nil }
        var transaction = transaction
        transaction.served.insert(index)
        if !script.steps[index].isSafe { transaction.progress = max(transaction.progress, index) }
        state.transactions[transaction.id] = transaction
        if script.steps[index].delivery != nil {
            if let login = transaction.login { return finish(transaction, index, login, script) }
            if transaction.logout != nil { return finishLogout(transaction, index) }
        }
        if case .visit = transaction.purpose, transaction.user != nil { signInVisitor(transaction, script) }
        // Whatever is still to come, only shows that it is done.
        if let logout = transaction.logout, script.nextChange(after: index) == script.steps.count {
            end(logout, subject: nil)
        }
        var answer = answer(script.steps[index], substitution(transaction))
        // Without any cookie of the provider's the browser has to be known by one of ours.
        if index == 0, answer.cookies.isEmpty, script.steps.count > 1 {
            answer.cookies.append(
                SetCookie(
                    name: Self.ownCookieName,
                    value: transaction.id,
                    path: "/",
                    isSecure: isSecure,
                    isHTTPOnly: true,
                    sameSite: "Lax"
                )
            )
        }
        return answer
    }

    private func answer(_ step: InteractionScript.Step, _ values: Substitution) -> BuiltAnswer {
        var answer = BuiltAnswer(step.status)
        answer.headers = HeaderFields(
            step.headers.fields.map {
                .init(name: $0.name, value: values.applied(to: $0.value), isLatin1: $0.isLatin1)
            }
        )
        answer.cookies = cookies(step, values)
        answer.location = step.location.map { location in
            // Within one origin the path is enough, but the mock may have moved it.
            SentText(values.applied(to: location.text), isLatin1: location.isLatin1)
        }
        guard let body = step.body else { return answer }
        if let coding = body.remainingCoding {
            // Nobody could read it: it goes as it came.
            answer.headers.append("Content-Encoding", coding)
            answer.content = .body(body)
        } else {
            answer.content = .body(Self.body(body, values))
        }
        return answer
    }

    private func cookies(_ step: InteractionScript.Step, _ values: Substitution) -> [SetCookie] {
        let played = PlayedCookies(addresses: dialect.addresses, isSecure: isSecure)
        return step.cookies.map {
            played.played($0, of: step.url, answeredAt: step.answeredAt, values: values)
        }
    }

    private static func body(_ body: Body, _ values: Substitution) -> Body {
        let type = body.essence ?? ""
        let isText =
            type.hasPrefix("text/") || type.hasSuffix("json") || type.isEmpty || type.hasSuffix("javascript")
        guard isText, (body.size ?? 0) < 4 << 20, let bytes = body.bytes else { return body }
        let replaced = values.applied(to: bytes)
        return Body(content: .bytes(replaced), mediaType: body.mediaType, size: replaced.count)
    }

    func substitution(_ transaction: Transaction) -> Substitution {
        Substitution(transaction.values, addresses: dialect.addresses)
    }

    /// The recorded answer to a wrong password; else the page once more.
    private mutating func refuseSignIn(
        _ index: Int,
        _ request: RecordedRequest,
        _ transaction: Transaction,
        _ script: InteractionScript
    ) -> BuiltAnswer {
        let values = substitution(transaction)
        let path = script.steps[index].url.path
        if let failed = script.steps.first(where: { $0.isFailedSignIn && $0.url.path == path }) {
            return answer(failed, values)
        }
        let isScripted = request.body?.essence == "application/json"
        if !isScripted, let page = script.page(before: index) { return answer(script.steps[page], values) }
        return .json(["error": "access_denied"], status: 401)
    }

    // MARK: - Ending

    private mutating func finish(
        _ transaction: Transaction,
        _ index: Int,
        _ login: PendingLogin,
        _ script: InteractionScript
    ) -> BuiltAnswer {
        if let error = script.error, policy.isAsRecorded || Self.isCancellation(error) {
            close(transaction)
            var answer = deliver(error, to: login, mode: script.errorMode)
            let step = script.steps[index]
            answer.cookies = cookies(step, substitution(transaction))
            if step.delivery == .redirect, answer.status != 200 {
                answer.status = step.status
                answer.headers = step.headers
            }
            return answer
        }
        guard let user = transaction.user ?? user(of: script) else {
            return deliver(.loginRequired, to: login)
        }
        let values = Dictionary(transaction.values.map { ($0.old, $0.new) }) { first, _ in first }
        let session = open(
            ProviderState.Session(user: user, signedInAt: transaction.signedInAt ?? now, values: values)
        )
        return finish(transaction, step: index, login, in: session)
    }

    /// Delivers the response, with the cookies of the step that did.
    mutating func finish(
        _ transaction: Transaction,
        step index: Int?,
        _ login: PendingLogin,
        in session: String
    )
        -> BuiltAnswer
    {
        close(transaction)
        var answer = deliver(login, in: session)
        guard let number = transaction.script, let index else { return answer }
        let script = dialect.scripts[number]
        let values = substitution(transaction)
        answer.cookies = cookies(script.steps[index], values)
        for cookie in script.sessionCookies(dialect.sessionCookieNames) {
            state.sessionIDs[values.applied(to: cookie.value)] = session
        }
        if script.steps[index].delivery == .body, case .authorization(var response) = answer.content,
            let body = script.steps[index].body, let delivered = delivered(by: script, response, login)
        {
            response.page = (Self.body(body, values), delivered)
            response.mode = .formPost
            answer.status = script.steps[index].status
            answer.headers = script.steps[index].headers
            answer.content = .authorization(response)
        }
        return answer
    }

    /// The recorded values in a page that hands the response on, with their names; nil where this response needs another one.
    private func delivered(
        by script: InteractionScript,
        _ response: BuiltAnswer.Authorization,
        _ login: PendingLogin
    ) -> [(old: String, name: String)]? {
        if let code = script.deliveredCode {
            // The page knows one address, and nothing but a code.
            let isSame = script.parameters.contains {
                $0.name == "redirect_uri" && $0.value == login.redirectURI
            }
            return isSame && response.mode == .query ? [(code, "code")] : nil
        }
        guard let form = dialect.authorization(for: login, recordedID(login.clientID)),
            response.mode == form.mode
        else { return nil }
        return form.parameters.map { ($0.value, $0.name) }
    }

    private static func isCancellation(_ error: [(String, String)]) -> Bool {
        guard let code = error.first(where: { $0.0 == "error" })?.1 else { return false }
        let description = error.first { $0.0 == "error_description" }?.1
        let place = Place(exchange: nil, part: .responseLocation, name: "error")
        return AccessPolicy.isCancellation(ErrorResponse(error: code, description: description, place: place))
    }

    private mutating func signInVisitor(_ transaction: Transaction, _ script: InteractionScript) {
        guard let user = transaction.user else { return }
        let values = Dictionary(transaction.values.map { ($0.old, $0.new) }) { first, _ in first }
        let session = open(
            ProviderState.Session(user: user, signedInAt: transaction.signedInAt ?? now, values: values)
        )
        let substitution = substitution(transaction)
        for cookie in script.sessionCookies(dialect.sessionCookieNames) {
            state.sessionIDs[substitution.applied(to: cookie.value)] = session
        }
    }

    private func takeDeviceValues(_ transaction: inout Transaction) {
        guard let device = state.devices.newestFirst.first(where: { _ in true })?.value else { return }
        transaction.values.removeAll { device.values[$0.old] != nil }
        transaction.values += device.values.map { (old: $0.key, new: $0.value) }
    }
}
