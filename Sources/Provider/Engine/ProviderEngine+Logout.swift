import Captures
import Flows
import JOSE
import JSON
import OAuth

/// OpenID Connect RP-Initiated Logout, sections 2 and 3.
extension ProviderEngine {
    mutating func endSession(_ query: QueryItems, _ request: RecordedRequest) -> BuiltAnswer? {
        // A page of the logout may have the endpoint's own address.
        if query.items.isEmpty, let answer = interact(request) { return answer }
        let hint = query.first("id_token_hint")
        let token = hint.flatMap(JSONWebToken.parse)
        let named = query.first("client_id").flatMap { $0.isEmpty ? nil : $0 }
        if let refusal = token.flatMap({ refusal(ofHint: $0, from: named) }) ?? refusal(ofUnreadable: hint) {
            return refusal
        }
        let client = clients.client(token.flatMap { holder(of: $0, named) } ?? named)
        let name = dialect.logoutTargets.first { query.first($0).map { !$0.isEmpty } ?? false }
        let wanted = name.flatMap { query.first($0) }
        if let wanted, !accepts(logoutTarget: wanted, of: client) {
            return refusal(ofLogoutTo: wanted, client)
        }
        let state = query.first("state").map { [("state", $0)] } ?? []
        let logout = PendingLogout(
            session: hint.flatMap { self.state.sessions.id(knownBy: $0) }
                ?? self.state.sessions.session(of: request)?.id,
            target: wanted.map { state.isEmpty ? $0 : AnswerRenderer.url($0, state, .query) },
            parameters: RequestParameters(query)
        )
        if let script = logoutScript(hasTarget: wanted != nil, method: request.method) {
            var transaction = open(script: script, for: .logout(logout))
            if let session = logout.session.flatMap({ self.state.sessions[$0] }) {
                // The pages speak of the session that was opened, `sid` and cookies.
                let known = Set(session.values.keys)
                transaction.values.removeAll { known.contains($0.old) }
                transaction.values += session.values.map { (old: $0.key, new: $0.value) }
                for value in session.values.values {
                    self.state.transactions.recognize(transaction.id, by: value)
                }
                self.state.transactions.open(transaction)
            }
            if let answer = play(0, in: transaction, request) { return answer }
        }
        return signedOut(loading: end(logout, subject: token?.subject), to: logout.target)
    }

    /// `client`: nil for whom the request does not name.
    private func accepts(logoutTarget: String, of client: ProviderConfiguration.Client?) -> Bool {
        if let client { return client.accepts(logoutTarget: logoutTarget) }
        // Whom the hint does not name, the address may (section 2).
        return !dialect.needsLogoutClient
            && configuration.clients.contains {
                $0.postLogoutRedirectURIs.contains(bytesOf: logoutTarget)
            }
    }

    /// Whose an ID token is: whom the request names, else `azp`, else the first that is known (OpenID Connect Core, section 2).
    private func holder(of token: JSONWebToken, _ named: String?) -> String? {
        let audience = token.audience
        let candidates = [named, token.claim("azp")?.string].compactMap(\.self) + audience
        return candidates.first { audience.contains($0) && clients.client($0) != nil } ?? audience.first
    }

    /// Section 2: the token is one of this provider, and of the client that the request names.
    private func refusal(ofHint token: JSONWebToken, from named: String?) -> BuiltAnswer? {
        if let named, !token.audience.isEmpty, !token.audience.contains(named) {
            var answer = error(page: "The id_token_hint was issued to another client than client_id names.")
            answer.explanation =
                "the id_token_hint is of \(token.audience.joined(separator: ", ")), and client_id names \(named)"
            return answer
        }
        // Of a recorded provider tokens may have another issuer than its metadata.
        guard dialect.needsLogoutClient, let words = IDTokenHintCheck(of: self).flaw(of: token) else {
            return nil
        }
        var answer = error(page: "The id_token_hint was not issued here.")
        answer.explanation = words
        return answer
    }

    /// Section 2: what is no token was issued by nobody, an access token among them; nil of one that can be read.
    private func refusal(ofUnreadable hint: String?) -> BuiltAnswer? {
        guard dialect.needsLogoutClient, let hint, !hint.isEmpty, JSONWebToken.parse(hint) == nil else {
            return nil
        }
        var answer = error(page: "The id_token_hint is no ID token.")
        answer.explanation = "the id_token_hint is no JWT that can be read"
        return answer
    }

    /// Section 3: where nobody says whose address it is, it is nobody's.
    private func refusal(ofLogoutTo target: String, _ client: ProviderConfiguration.Client?) -> BuiltAnswer {
        guard let client else {
            var answer = error(
                page: "A logout that names an address has to name its client: by id_token_hint, or client_id."
            )
            answer.explanation = "the logout names no client that is known, by id_token_hint or client_id"
            return answer
        }
        var answer = error(page: "The post_logout_redirect_uri is not registered for this client.")
        answer.explanation = "\(target) is no address of \(client.id) after a logout"
        return answer
    }

    /// `method`: a page that asks may send the whole request once more, with the user's word.
    private func logoutScript(hasTarget: Bool, method: String) -> Int? {
        let all = dialect.scripts.indices.filter { dialect.scripts[$0].purpose == .logout }
        let fitting = all.filter { index in
            let named = dialect.scripts[index].parameters.items.contains {
                LogoutCourse.targetNames.contains($0.name)
            }
            return named == hasTarget
        }
        return fitting.first { dialect.scripts[$0].steps.first?.method == method } ?? fitting.first
            ?? (hasTarget ? nil : all.first)
    }

    /// Sends the user back, with the cookies that the recorded provider took away.
    mutating func finishLogout(_ transaction: Transaction, _ index: Int) -> BuiltAnswer {
        state.transactions.close(transaction)
        let frames = transaction.logout.map { end($0, subject: nil) } ?? []
        var answer = signedOut(loading: frames, to: transaction.logout?.target)
        guard let logout = transaction.logout, logout.target != nil, let number = transaction.script else {
            return answer
        }
        let step = dialect.scripts[number].steps[index]
        if answer.location != nil {
            answer.status = (300..<400).contains(step.status) ? step.status : 302
            answer.headers = step.headers
        }
        answer.cookies = player(transaction).cookies(of: step)
        return answer
    }
}
