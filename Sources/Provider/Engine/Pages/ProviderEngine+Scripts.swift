/// How a recorded way through the pages is begun with values of its own.
extension ProviderEngine {
    /// The recorded way through the pages that a login goes; nil where none fits.
    mutating func chooseScript(for login: PendingLogin) -> Int? {
        let choice = scriptChoice(for: login)
        guard policy.isAsRecorded else { return choice.best }
        // Clients that register themselves have any number of names: only those of the recording are counted.
        guard choice.hasOwn else { return nil }
        return choice.own(state.counts.count(.pages(clientID: choice.clientID, isSilent: choice.isSilent)))
    }

    func scriptChoice(for login: PendingLogin) -> ScriptChoice {
        ScriptChoice(login, clients.recordedID(login.clientID), dialect)
    }

    /// A login of a browser that is known: what was made up for its session stays, what is new in this login is the session's from now on.
    mutating func joined(_ transaction: Transaction, to session: String) -> Transaction {
        guard let number = transaction.script, var known = state.sessions[session] else { return transaction }
        let issued = Set(dialect.scripts[number].issued)
        var transaction = transaction
        for (index, value) in transaction.values.enumerated() where issued.contains(value.old) {
            transaction.values[index].new = known.values[value.old] ?? value.new
            known.values[value.old] = transaction.values[index].new
        }
        state.sessions[session] = known
        state.transactions.open(transaction)
        return transaction
    }

    /// Begins a script: every value that the provider made up then is made anew, every value of the client is the
    /// one it sent now.
    mutating func open(script index: Int, for purpose: Transaction.Purpose) -> Transaction {
        let script = dialect.scripts[index]
        var transaction = Transaction(id: context.identifier(), purpose: purpose, script: index)
        for value in script.issued {
            let new = ValueTemplate(like: value).make(random)
            transaction.values.append((value, new))
            state.transactions.recognize(transaction.id, by: new)
        }
        if let login = transaction.login {
            transaction.values += script.values(for: login.parameters)
            state.transactions.recognize(transaction.id, by: login)
        } else if let logout = transaction.logout {
            transaction.values += script.values(for: logout.parameters)
        }
        state.transactions.open(transaction)
        return transaction
    }
}
