import Captures
import JOSE
import OAuth

/// OpenID Connect RP-Initiated Logout, sections 2 and 3.
extension ProviderEngine {
    mutating func endSession(_ query: QueryItems, _ request: RecordedRequest) -> BuiltAnswer? {
        // A page of the logout may have the endpoint's own address.
        if query.items.isEmpty, let answer = interact(request) { return answer }
        let asked: LogoutRequestReader.Request
        do throws(LogoutRequestReader.Flaw) {
            asked = try LogoutRequestReader(clients, hintCheck, dialect).request(in: query)
        } catch {
            var answer = BuiltAnswer.page(400, SignInPage.error(error.page))
            answer.explanation = error.words
            return answer
        }
        let known = asked.hint.flatMap { state.sessions.id(knownBy: $0) }
        let echoed = query.first("state").map { [("state", $0)] } ?? []
        let logout = PendingLogout(
            session: known ?? state.sessions.session(of: request)?.id,
            target: asked.target.map { echoed.isEmpty ? $0 : AnswerRenderer.url($0, echoed, .query) },
            parameters: RequestParameters(query)
        )
        let script = ScriptChoice.ofLogout(
            hasTarget: asked.target != nil,
            method: request.method,
            in: dialect.scripts
        )
        if let script, let answer = beginLogout(logout, script) { return answer }
        return signedOut(loading: end(logout, subject: asked.token?.subject), to: logout.target)
    }

    /// Shows the first of the recorded pages of a logout.
    private mutating func beginLogout(_ logout: PendingLogout, _ script: Int) -> BuiltAnswer? {
        var transaction = open(script: script, for: .logout(logout))
        if let session = logout.session.flatMap({ state.sessions[$0] }) {
            // The pages speak of the session that was opened, `sid` and cookies.
            transaction.take(session.values)
            for value in session.values.values { state.transactions.recognize(transaction.id, by: value) }
            state.transactions.open(transaction)
        }
        return playFirst(of: transaction)
    }

    /// Sends the user back, with the cookies that the recorded provider took away.
    mutating func finishLogout(_ walk: ScriptWalk, step index: Int) -> BuiltAnswer {
        let transaction = walk.transaction
        state.transactions.close(transaction)
        let frames = transaction.logout.map { end($0, subject: nil) } ?? []
        var answer = signedOut(loading: frames, to: transaction.logout?.target)
        guard transaction.logout?.target != nil else { return answer }
        let step = walk.script.steps[index]
        if answer.location != nil {
            answer.status = (300..<400).contains(step.status) ? step.status : 302
            answer.headers = step.headers
        }
        answer.cookies = walk.player.cookies(of: step)
        return answer
    }
}
