import Captures
import OAuth

/// How a recorded way through the pages is begun with values of its own.
extension ProviderEngine {
    /// The recorded way through the pages that a login goes; nil where none fits.
    mutating func chooseScript(for login: PendingLogin) -> Int? {
        let choice = scriptChoice(for: login)
        guard policy.isAsRecorded else { return choice.best }
        return choice.own(count("login \(choice.clientID) \(choice.isSilent)"))
    }

    func scriptChoice(for login: PendingLogin) -> ScriptChoice {
        ScriptChoice(login, recordedID(login.clientID), dialect)
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
        var transaction = Transaction(id: identifier(), purpose: purpose, script: index)
        for value in script.issued {
            let new = ValueTemplate(like: value).make(random)
            transaction.values.append((value, new))
            state.transactions.recognize(transaction.id, by: new)
        }
        if let login = transaction.login {
            transaction.values += Self.clientValues(script, login.parameters)
            state.transactions.recognize(transaction.id, by: login)
        } else if let logout = transaction.logout {
            transaction.values += Self.clientValues(script, logout.parameters)
        }
        state.transactions.open(transaction)
        return transaction
    }

    /// The parameters of the recorded request, with those of this one in their place.
    private static func clientValues(
        _ script: InteractionScript,
        _ parameters: RequestParameters
    )
        -> [(old: String, new: String)]
    {
        var values: [(String, String)] = []
        for (name, old) in script.parameters.items where !common.contains(name) {
            let new = parameters[name] ?? ""
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
}
