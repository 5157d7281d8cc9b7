import Captures

/// The authorization endpoint (RFC 6749, section 3.1; OpenID Connect Core, section 3).
extension ProviderEngine {
    mutating func authorize(_ items: QueryItems, _ request: RecordedRequest) -> BuiltAnswer? {
        // The built-in page posts to where it was shown.
        if let id = items.first("transaction"), let transaction = state.transactions[id] {
            return signIn(items, transaction)
        }
        // A page's way back here may look like half a request, and call what it keeps one: without a client it is none
        // (RFC 6749, section 4.1.1).
        let isRequest =
            items.contains("client_id")
            && ["response_type", "redirect_uri", "request", "request_uri", "scope"].contains(
                where: items.contains
            )
        if !isRequest, let answer = interact(request) { return answer }
        let login: PendingLogin
        let client: ProviderConfiguration.Client
        do throws(Refused) {
            (login, client) = try readRequest(items, request)
        } catch {
            return refusedAsRecorded(items) ?? error.answer
        }
        let isFaulty =
            repetition(in: request) != nil
            || login.asksForNoneAndMore && !dialect.tolerances.takesPromptsBesideNone
        if !isFaulty, let open = state.transactions.login(as: login, isPosted: request.method == "POST"),
            let answer = interact(request, in: open)
        {
            return answer
        }
        // As recorded, the recording decides.
        let recordedID = clients.recordedID(client.id)
        let isDecided = policy.isAsRecorded && dialect.scripts.contains { $0.clientID == recordedID }
        if !isDecided,
            let refusal = repetition(in: request)
                ?? requestCheck(for: client).refusal(of: login)
        {
            return deliver(refusal, to: login)
        }
        return begin(login, request)
    }

    /// As recorded: the pages that said no.
    private mutating func refusedAsRecorded(_ items: QueryItems) -> BuiltAnswer? {
        guard policy.isAsRecorded else { return nil }
        let script = dialect.scripts.indices.first { index in
            let script = dialect.scripts[index]
            return script.purpose == .login && !script.steps.contains { $0.delivery != nil }
                && ["client_id", "redirect_uri"].allSatisfy { name in
                    script.parameters[name] == items.first(name)
                }
        }
        guard let script else { return nil }
        return playFirst(of: open(script: script, for: .visit))
    }

    // MARK: - Whom to ask

    /// Answers at once where there is a session or nobody is to be asked, else shows the first page.
    private mutating func begin(_ login: PendingLogin, _ request: RecordedRequest) -> BuiltAnswer {
        if policy.isAsRecorded, dialect.recordedLogins > 0 {
            state.counts.countLogin(of: dialect.recordedLogins)
        }
        if let user = autoLoginUser(login) {
            guard requestedUser(of: login).isMeant(user) else {
                return deliver(.loginRequired, to: login)
            }
            if let known = knownSession(of: request, for: login),
                state.sessions[known]?.user.subject == user.subject
            {
                return deliver(login, in: known)
            }
            let session = open(ProviderState.Session(user: user, signedInAt: now))
            var answer = deliver(login, in: session)
            answer.cookies.append(sessionCookie(session))
            return answer
        }
        let known = knownSession(of: request, for: login)
        // As recorded, the recording says what became of whom it knew.
        if let known, !policy.isAsRecorded {
            return scriptChoice(for: login).ofKnown.map { beginAtOnce(login, $0, in: known) }
                ?? deliver(login, in: known)
        }
        let script = chooseScript(for: login)
        if let script, dialect.scripts[script].answersAtOnce(isKnown: known != nil) {
            return beginAtOnce(login, script, in: known)
        }
        if let known, script == nil { return deliver(login, in: known) }
        if login.prompt.contains("none") { return deliver(.loginRequired, to: login) }
        guard let script else {
            let transaction = Transaction(id: context.identifier(), purpose: .login(login))
            state.transactions.open(transaction)
            return .page(
                200,
                SignInPage.html(
                    client: login.clientID,
                    transaction: transaction.id,
                    action: login.endpoint ?? request.url.path,
                    user: login.parameters.value("login_hint") ?? ""
                )
            )
        }
        let transaction = open(script: script, for: .login(login))
        return playFirst(of: transaction) ?? deliver(.loginRequired, to: login)
    }

    /// A session that answers a request without asking anybody.
    private func knownSession(of request: RecordedRequest, for login: PendingLogin) -> String? {
        // The user is to choose who to be.
        let isToChoose = login.prompt.contains("select_account") && dialect.strictness.asksToSelectAccount
        guard let found = state.sessions.session(of: request), !login.prompt.contains("login"), !isToChoose,
            isFresh(found.session, login),
            requestedUser(of: login).isMeant(found.session.user)
        else { return nil }
        return found.id
    }

    /// A browser that the recorded provider knew already.
    ///
    /// `known`: its session; nil where nobody saw how it came to one.
    private mutating func beginAtOnce(_ login: PendingLogin, _ script: Int, in known: String?) -> BuiltAnswer
    {
        let recorded = dialect.scripts[script]
        if policy.isAsRecorded, let error = recorded.error {
            return deliver(error, to: login, mode: recorded.errorMode)
        }
        let step = recorded.steps.isEmpty ? nil : 0
        if let known {
            let transaction = joined(open(script: script, for: .login(login)), to: known)
            return finish(transaction, step: step, login, in: known)
        }
        guard let user = user(of: recorded) else { return deliver(.loginRequired, to: login) }
        let transaction = open(script: script, for: .login(login))
        let session = open(ProviderState.Session(user: user, signedInAt: now, values: transaction.played))
        return finish(transaction, step: step, login, in: session)
    }

    /// Whom to sign in without any page; nil where somebody is to be asked.
    private func autoLoginUser(_ login: PendingLogin) -> ProviderConfiguration.User? {
        guard let name = policy.autoLogin else { return nil }
        if !name.isEmpty { return autoLoginUserByName }
        if let known = requestedUser(of: login).known { return known }
        // Whoever signed in to this client.
        let subject = dialect.scripts.first { $0.clientID == login.clientID && $0.subject != nil }?.subject
        return configuration.likelyUser(subject: subject)
    }

    /// Whom the policy names to be signed in without any page; nil where it names nobody.
    var autoLoginUserByName: ProviderConfiguration.User? {
        guard let name = policy.autoLogin, !name.isEmpty else { return nil }
        return configuration.users.first { $0.name == name || $0.subject == name }
    }

    /// Whether the last sign-in is recent enough (OpenID Connect Core, section 3.1.2.1).
    private func isFresh(_ session: ProviderState.Session, _ login: PendingLogin) -> Bool {
        guard let maxAge = login.maxAge else { return true }
        return now - session.signedInAt <= .seconds(maxAge)
    }
}
