import Captures
import OAuth

/// How a way through the recorded pages ends: the response goes to the client, and the browser is known from then on.
extension ProviderEngine {
    /// Answers a login whose way is at its end: with the recorded error where that is to come again, else with what was asked for.
    mutating func finish(_ walk: ScriptWalk, step index: Int, _ login: PendingLogin) -> BuiltAnswer {
        let (transaction, script) = (walk.transaction, walk.script)
        if let error = script.error, policy.isAsRecorded || Self.isCancellation(error) {
            state.transactions.close(transaction)
            var answer = deliver(error, to: login, mode: script.errorMode)
            let step = script.steps[index]
            answer.cookies = walk.player.cookies(of: step)
            if step.delivery == .redirect, answer.status != 200 {
                answer.status = step.status
                answer.headers = step.headers
            }
            return answer
        }
        guard let user = transaction.user ?? user(of: script) else {
            return deliver(.loginRequired, to: login)
        }
        return finish(transaction, step: index, login, in: open(for: user, by: transaction))
    }

    /// Opens the session of who signed in, with the values of the way there.
    private mutating func open(for user: ProviderConfiguration.User, by transaction: Transaction) -> String {
        open(
            ProviderState.Session(
                user: user,
                signedInAt: transaction.signedInAt ?? now,
                values: transaction.played
            )
        )
    }

    /// Delivers the response, with the cookies of the step that did.
    mutating func finish(
        _ transaction: Transaction,
        step index: Int?,
        _ login: PendingLogin,
        in session: String
    ) -> BuiltAnswer {
        state.transactions.close(transaction)
        var answer = deliver(login, in: session)
        guard let index, let walk = ScriptWalk(transaction, context) else { return answer }
        let step = walk.script.steps[index]
        answer.cookies = walk.player.cookies(of: step)
        recognize(session, by: walk)
        if step.delivery == .body, case .authorization(var response) = answer.content,
            let body = step.body, let delivered = delivered(by: walk.script, response, login)
        {
            response.page = (walk.player.played(body), delivered)
            response.mode = .formPost
            answer.status = step.status
            answer.headers = step.headers
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
            let isSame = script.parameters.items.contains {
                $0.name == "redirect_uri" && $0.value == login.redirectURI
            }
            return isSame && response.mode == .query ? [(code, "code")] : nil
        }
        guard let form = dialect.authorization(for: login, clients.recordedID(login.clientID)),
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

    /// Knows the browser of whoever signed in without a client from now on.
    mutating func signInVisitor(_ walk: ScriptWalk) {
        guard let user = walk.transaction.user else { return }
        recognize(open(for: user, by: walk.transaction), by: walk)
    }

    /// Knows a session by the cookies that the recorded one had from now on.
    private mutating func recognize(_ session: String, by walk: ScriptWalk) {
        for value in walk.sessionCookieValues { state.sessions.recognize(session, by: value) }
    }
}
