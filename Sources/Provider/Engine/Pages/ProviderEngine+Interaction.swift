import Captures

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
            ?? state.transactions.newest { ScriptWalk($0, context)?.step(for: request) != nil }
    }

    mutating func interact(_ request: RecordedRequest, in transaction: Transaction) -> BuiltAnswer? {
        guard var walk = ScriptWalk(transaction, context) else { return nil }
        if case .visit = transaction.purpose, let device = state.devices.newest?.value {
            walk.take(device.values)
        }
        guard let index = walk.step(for: request) else { return walk.refusedEmptySignIn(request) }
        guard walk.signIn(with: request, at: index) else {
            state.transactions[transaction.id] = walk.transaction
            return walk.refusedSignIn(request, at: index)
        }
        if walk.isDeclined(request, at: index), let answer = decline(walk.transaction, request) {
            return answer
        }
        return play(index, of: walk)
    }

    /// Begins a way through the recorded pages with the first of them; nil where there is none.
    mutating func playFirst(of transaction: Transaction) -> BuiltAnswer? {
        guard let walk = ScriptWalk(transaction, context), !walk.script.steps.isEmpty else { return nil }
        return play(0, of: walk)
    }

    /// Answers with a step: as recorded, or, where that was the end, for real.
    private mutating func play(_ index: Int, of walk: ScriptWalk) -> BuiltAnswer {
        var walk = walk
        walk.serve(index)
        let transaction = walk.transaction
        state.transactions[transaction.id] = transaction
        if walk.script.steps[index].delivery != nil {
            if let login = transaction.login { return finish(walk, step: index, login) }
            if transaction.logout != nil { return finishLogout(walk, step: index) }
        }
        if case .visit = transaction.purpose { signInVisitor(walk) }
        if let logout = transaction.logout, walk.changesNothing(after: index) {
            // The page is the recorded one, and loads what that loads.
            _ = end(logout, subject: nil)
        }
        return walk.answer(index)
    }
}
