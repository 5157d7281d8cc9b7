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
        if matcher.isDeclined(request, at: index), let answer = decline(transaction, request) {
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
        var answer = player(transaction).answer(script.steps[index])
        // Without any cookie of the provider's the browser has to be known by one of ours.
        if index == 0, answer.cookies.isEmpty, script.steps.count > 1 {
            answer.cookies.append(
                SetCookie(
                    name: MockCookies.transaction,
                    value: transaction.id,
                    path: "/",
                    isSecure: configuration.isSecure,
                    isHTTPOnly: true,
                    sameSite: "Lax"
                )
            )
        }
        return answer
    }

    /// What plays the steps of a transaction.
    func player(_ transaction: Transaction) -> StepPlayer {
        StepPlayer(transaction, addresses: dialect.addresses, isSecure: configuration.isSecure)
    }

    /// The recorded answer to a wrong password; else the page once more.
    private mutating func refuseSignIn(
        _ index: Int,
        _ request: RecordedRequest,
        _ transaction: Transaction,
        _ script: InteractionScript
    ) -> BuiltAnswer {
        let player = player(transaction)
        let path = script.steps[index].url.path
        if let failed = script.steps.first(where: { $0.isFailedSignIn && $0.url.path == path }) {
            return player.answer(failed)
        }
        let isScripted = request.body?.essence == "application/json"
        if !isScripted, let page = script.page(before: index) { return player.answer(script.steps[page]) }
        return .json(["error": "access_denied"], status: 401)
    }

    private func takeDeviceValues(_ transaction: inout Transaction) {
        guard let device = state.devices.newest?.value else { return }
        transaction.values.removeAll { device.values[$0.old] != nil }
        transaction.values += device.values.map { (old: $0.key, new: $0.value) }
    }
}
