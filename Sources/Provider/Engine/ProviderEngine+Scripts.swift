import Captures
import OAuth

/// Which recorded way through the pages a login goes, and how it is begun with values of its own.
extension ProviderEngine {
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

    /// The recorded answer to a browser that was known, which may have brought cookies of its own; nil where none is recorded.
    func scriptOfKnown(for login: PendingLogin) -> Int? {
        let clientID = recordedID(login.clientID)
        return dialect.scripts.indices.filter { index in
            let script = dialect.scripts[index]
            return script.purpose == .login && script.clientID == clientID && script.hadSession
                && script.error == nil && script.answersAtOnce(isKnown: true)
                && script.isSilent == login.prompt.contains("none")
        }.max { left, right in
            (fitness(dialect.scripts[left], login), -left) < (fitness(dialect.scripts[right], login), -right)
        }
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
        return open(transaction)
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
}
