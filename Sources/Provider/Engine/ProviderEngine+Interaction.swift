import Captures
import Flows
import JSON

/// The provider's pages, played from a recording: each request that fits one of a script is answered as that was,
/// with values of its own.
extension ProviderEngine {
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

    /// Which transaction a request belongs to: by a value that only it has, else the last one that has a page of this address.
    func transaction(of request: RecordedRequest) -> Transaction? {
        state.transactions.transaction(carriedBy: request)
            ?? state.transactions.newest { transaction in
                guard let number = transaction.script else { return false }
                return StepMatcher(transaction, dialect.scripts[number], dialect).step(for: request) != nil
            }
    }

    mutating func interact(_ request: RecordedRequest, in transaction: Transaction) -> BuiltAnswer? {
        guard let number = transaction.script else { return nil }
        var transaction = transaction
        let script = dialect.scripts[number]
        if case .visit = transaction.purpose { takeDeviceValues(&transaction) }
        let matcher = StepMatcher(transaction, script, dialect)
        guard let index = matcher.step(for: request) else {
            return matcher.emptySignIn(for: request)
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
                guard let user = configuration.user(with: whole) else {
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
            // The page is the recorded one, and loads what that loads.
            _ = end(logout, subject: nil)
        }
        var answer = answer(script.steps[index], substitution(transaction))
        // Without any cookie of the provider's the browser has to be known by one of ours.
        if index == 0, answer.cookies.isEmpty, script.steps.count > 1 {
            answer.cookies.append(
                SetCookie(
                    name: MockCookies.transaction,
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
            if coding != ContentCoding.unknown { answer.headers.append("Content-Encoding", coding) }
            answer.content = .body(body)
        } else {
            answer.content = .body(Self.body(body, values))
        }
        return answer
    }

    func cookies(_ step: InteractionScript.Step, _ values: Substitution) -> [SetCookie] {
        let played = PlayedCookies(addresses: dialect.addresses, isSecure: isSecure)
        return step.cookies.map {
            played.played($0, of: step.url, answeredAt: step.answeredAt, values: values)
        }
    }

    static func body(_ body: Body, _ values: Substitution) -> Body {
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

    private func takeDeviceValues(_ transaction: inout Transaction) {
        guard let device = state.devices.newestFirst.first(where: { _ in true })?.value else { return }
        transaction.values.removeAll { device.values[$0.old] != nil }
        transaction.values += device.values.map { (old: $0.key, new: $0.value) }
    }
}
