import Captures
import JOSE
import JSON
import OAuth

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
            return refusedAsRecorded(items, request) ?? error.answer
        }
        let isFaulty =
            repetition(in: request) != nil || login.asksForNoneAndMore && !dialect.takesPromptsBesideNone
        if !isFaulty, let open = openTransaction(of: login, isPosted: request.method == "POST") {
            if let answer = interact(request, in: open) { return answer }
        }
        // As recorded, the recording decides.
        let isDecided =
            policy.isAsRecorded && dialect.scripts.contains { $0.clientID == recordedID(client.id) }
        if !isDecided, let refusal = repetition(in: request) ?? refusal(of: login, client) {
            return deliver(refusal, to: login)
        }
        return begin(login, request)
    }

    // MARK: - Reading

    /// The request, and its client; a page for those who cannot be told otherwise (RFC 6749, section 4.1.2.1).
    ///
    /// What was pushed (RFC 9126, section 4) or signed (RFC 9101, section 6.3) counts alone.
    private mutating func readRequest(_ items: QueryItems, _ request: RecordedRequest) throws(Refused) -> (
        PendingLogin, ProviderConfiguration.Client
    ) {
        // Whom to tell would be anybody's guess.
        if let refusal = repetition(of: ["client_id", "redirect_uri", "request", "request_uri"], in: request)
        {
            throw errorPage(refusal)
        }
        var parameters = items.items.map { (name: $0.name, value: $0.value) }
        let requestURI = items.first("request_uri")
        if let requestURI { parameters = try pushed(requestURI, beside: parameters) }
        let named = parameters.first { $0.name == "client_id" }?.value
        guard let client = client(named) else {
            let words = named.map { "the client \($0) is not known: --client \($0) adds it" }
            throw errorPage(.clientUnknown, words ?? "the request names no client")
        }
        if let text = parameters.first(where: { $0.name == "request" })?.value {
            guard let claims = requestObject(text, client) else { throw errorPage(.requestObjectInvalid) }
            // A request of OpenID Connect says so outside, and is put together of both (Core, section 6.3.3).
            let isOpenID = items.first("scope")?.split(separator: " ").contains("openid") ?? false
            parameters = Self.merged(claims, with: parameters, mayAdd: isOpenID)
        }
        guard var login = pendingLogin(parameters, client) else {
            throw redirectRefused(parameters.first { $0.name == "redirect_uri" }?.value ?? "", client)
        }
        login.requestURI = requestURI
        if let requestURI { state.pushedRequests[requestURI]?.isUsed = true }
        return (login, client)
    }

    /// What was pushed under a name, with what counts of the parameters that came with the name.
    private func pushed(_ uri: String, beside parameters: [(name: String, value: String)]) throws(Refused)
        -> [(name: String, value: String)]
    {
        if RecordedURL(uri).isWeb, state.pushedRequests[uri] == nil {
            throw referenceRefused(parameters, uri)
        }
        let named = parameters.first { $0.name == "client_id" }?.value
        guard let pushed = state.pushedRequests[uri], pushed.expiresAt > now,
            !pushed.isUsed || dialect.reusesRequestURIs || isUnderWay(uri),
            named.map({ $0 == pushed.clientID }) ?? true
        else { throw errorPage(.requestURIUnknown) }
        return Self.merged(pushed.parameters, with: parameters, mayAdd: dialect.mergesOuterParameters)
    }

    /// Parameters that count, and of those beside them what they lack: who asks, and anything where that may add to them.
    private static func merged(
        _ parameters: [(name: String, value: String)],
        with outer: [(name: String, value: String)],
        mayAdd: Bool
    ) -> [(name: String, value: String)] {
        parameters
            + outer.filter { item in
                (item.name == "client_id" || mayAdd) && !parameters.contains { $0.name == item.name }
            }
    }

    /// `sent`: empty where the request names none.
    private func redirectRefused(_ sent: String, _ client: ProviderConfiguration.Client) -> Refused {
        let words =
            sent.isEmpty
            ? "the request names no redirect_uri, and \(client.id) has not just one"
            : "\(sent) is no redirect URI of \(client.id): --redirect-uri adds one, compared to the letter"
        return errorPage(.redirectURIUnregistered, words)
    }

    /// Nothing is fetched here: who gives the address of its request object is told so (OpenID Connect Core, section 3.1.2.6), where what
    /// stands beside it says who that is.
    private func referenceRefused(_ parameters: [(name: String, value: String)], _ uri: String) -> Refused {
        let words = "\(uri) is not fetched: a request object can be sent (request), or pushed"
        let named = parameters.first { $0.name == "client_id" }?.value
        guard let client = client(named), let login = pendingLogin(parameters, client) else {
            return errorPage(.requestURINotSupported, words)
        }
        var answer = deliver(.requestURINotSupported, to: login)
        answer.explanation = words
        return Refused(answer: answer)
    }

    /// Whether the user is at the pages of a pushed request: a reload may name it again (RFC 9126, section 4).
    private func isUnderWay(_ requestURI: String) -> Bool {
        let id = state.transactionIDs["request " + requestURI]
        return id.flatMap { state.transactions[$0] }.map { !$0.isOver } ?? false
    }

    /// What the parameters of a request ask for; nil where its redirect URI is none of the client's.
    func pendingLogin(
        _ parameters: [(name: String, value: String)],
        _ client: ProviderConfiguration.Client
    ) -> PendingLogin? {
        func value(_ name: String) -> String? {
            parameters.first { $0.name == name }.map(\.value).flatMap { $0.isEmpty ? nil : $0 }
        }
        let sent = value("redirect_uri")
        guard let redirectURI = sent ?? (client.redirectURIs.count == 1 ? client.redirectURIs[0] : nil),
            accepts(redirectURI: redirectURI, of: client)
        else { return nil }
        return PendingLogin(
            clientID: client.id,
            endpoint: askedEndpoint,
            redirectURI: redirectURI,
            responseType: value("response_type") ?? "code",
            scope: value("scope") ?? "",
            state: value("state"),
            nonce: value("nonce"),
            challenge: value("code_challenge"),
            challengeMethod: value("code_challenge_method"),
            responseMode: value("response_mode"),
            prompt: (value("prompt") ?? "").split(separator: " ").map(String.init),
            maxAge: value("max_age").flatMap { Int64($0) },
            resource: value("resource"),
            acrValues: value("acr_values"),
            boundKey: value("dpop_jkt"),
            parameters: parameters
        )
    }

    /// The parameters of a request object; nil where it cannot be read, its time is another, or somebody else made it.
    func requestObject(_ text: String, _ client: ProviderConfiguration.Client) -> [(
        name: String, value: String
    )]? {
        guard let token = JSONWebToken.parse(text), let claims = token.claims else { return nil }
        if !client.keys.isEmpty || client.secret != nil, token.algorithm != "none" {
            let secret = client.secret.map { Array($0.utf8) }
            let isSymmetric = token.algorithm?.hasPrefix("HS") ?? false
            if isSymmetric || !client.keys.isEmpty,
                token.verify(keys: client.keys(for: token), secret: secret).outcome != .valid
            {
                return nil
            }
        }
        if let end = token.expiresAt, end <= now.seconds { return nil }
        if let begin = token.notBefore, begin > now.seconds + 60 { return nil }
        // RFC 9101, section 5: another client's is none of this one.
        if let name = claims["client_id"]?.string, name != client.id { return nil }
        let own: Set<String> = ["iss", "aud", "exp", "nbf", "iat", "jti"]
        return claims.members.filter { !own.contains($0.name) }.map {
            ($0.name, $0.value.string ?? JSONWriter.text(of: $0.value))
        }
    }

    /// As recorded: the pages that said no.
    private mutating func refusedAsRecorded(_ items: QueryItems, _ request: RecordedRequest) -> BuiltAnswer? {
        guard policy.isAsRecorded else { return nil }
        let script = dialect.scripts.indices.first { index in
            let script = dialect.scripts[index]
            return script.purpose == .login && !script.steps.contains { $0.delivery != nil }
                && ["client_id", "redirect_uri"].allSatisfy { name in
                    script.parameters.first { $0.name == name }?.value == items.first(name)
                }
        }
        guard let script else { return nil }
        return play(0, in: open(script: script, for: .visit), request)
    }

    /// `explanation`: for whoever runs the provider, where more is known than the page says.
    private func errorPage(_ refusal: Refusal, _ explanation: String? = nil) -> Refused {
        let text = refusal == .clientUnknown ? "The client is not known here." : refusal.standard.description
        var answer =
            dialect.refusals.page(of: refusal).map { BuiltAnswer(like: $0) }
            ?? .page(400, SignInPage.error(text))
        answer.explanation = explanation ?? refusal.standard.description
        return Refused(answer: answer)
    }

    // MARK: - Judging

    /// What is wrong with a request whose redirect URI is right: told to the client (RFC 6749, sections 3.1.1 and 4.1.2.1).
    func refusal(of login: PendingLogin, _ client: ProviderConfiguration.Client) -> Refusal? {
        guard dialect.assumesCode || !(login.parameter("response_type") ?? "").isEmpty else {
            return .responseTypeMissing
        }
        let types = Set(login.responseType.split(separator: " ").map(String.init))
        guard !types.isEmpty, dialect.supports(responseType: login.responseType) else {
            return .responseTypeUnsupported
        }
        if let mode = login.responseMode {
            guard dialect.supports(responseMode: mode) else { return .responseModeUnsupported }
        }
        if let refusal = refusal(ofTokensBeforeTheCode: types, login) { return refusal }
        let isMethodNamed = login.parameter("code_challenge_method") != nil
        if login.challenge != nil || isMethodNamed {
            // RFC 7636, section 4.3.
            guard dialect.supports(challengeMethod: login.challengeMethod ?? "plain") else {
                return .challengeMethodUnsupported
            }
        }
        if login.challenge == nil, client.requiresPKCE, types.contains("code") { return .challengeMissing }
        // OpenID Connect Core, section 3.1.2.1.
        if login.asksForNoneAndMore, !dialect.takesPromptsBesideNone { return .promptBesideNone }
        return nil
    }

    /// What is wrong with a request for tokens that come by way of the browser (OAuth 2.0 Multiple Response Types, section 5).
    private func refusal(ofTokensBeforeTheCode types: Set<String>, _ login: PendingLogin) -> Refusal? {
        guard !types.isDisjoint(with: ["token", "id_token"]) else { return nil }
        // A query is written down on its way, also where it is signed (JARM, section 2.3.1); what was seen so is answered so.
        if let mode = login.responseMode, ["query", "query.jwt"].contains(mode),
            !dialect.takesQuery(mode, for: login.responseType)
        {
            return .responseModeUnsupported
        }
        guard dialect.checksOpenIDRequests, types.contains("id_token") else { return nil }
        if !login.scope.split(separator: " ").contains("openid") { return .openIDMissing }
        return login.nonce == nil ? .nonceMissing : nil
    }

    // MARK: - Whom to ask

    /// Answers at once where there is a session or nobody is to be asked, else shows the first page.
    private mutating func begin(_ login: PendingLogin, _ request: RecordedRequest) -> BuiltAnswer {
        if let user = autoLoginUser(login) {
            guard isMeant(user, by: login) else { return deliver(.loginRequired, to: login) }
            let session = open(ProviderState.Session(user: user, signedInAt: now))
            var answer = deliver(login, in: session)
            answer.cookies.append(sessionCookie(session))
            return answer
        }
        let known = knownSession(of: request, for: login)
        // As recorded, the recording says what became of whom it knew.
        if let known, !policy.isAsRecorded {
            return scriptOfKnown(for: login).map { beginAtOnce(login, $0, in: known) }
                ?? deliver(login, in: known)
        }
        let script = chooseScript(for: login)
        if let script, dialect.scripts[script].answersAtOnce(isKnown: known != nil) {
            return beginAtOnce(login, script, in: known)
        }
        if let known, script == nil { return deliver(login, in: known) }
        if login.prompt.contains("none") { return deliver(.loginRequired, to: login) }
        guard let script else {
            let transaction = open(Transaction(id: identifier(), purpose: .login(login)))
            return .page(
                200,
                SignInPage.html(
                    client: login.clientID,
                    transaction: transaction.id,
                    action: login.endpoint ?? request.url.path
                )
            )
        }
        let transaction = open(script: script, for: .login(login))
        return play(0, in: transaction, request) ?? deliver(.loginRequired, to: login)
    }

    /// A session that answers a request without asking anybody.
    private func knownSession(of request: RecordedRequest, for login: PendingLogin) -> String? {
        guard let found = session(of: request), !login.prompt.contains("login"),
            isFresh(found.session, login),
            isMeant(found.session.user, by: login)
        else { return nil }
        return found.id
    }

    /// Whether a user is the one of the `id_token_hint`, where there is one; whom nobody knows here may be anybody.
    private func isMeant(_ user: ProviderConfiguration.User, by login: PendingLogin) -> Bool {
        hintedUser(of: login).map { $0.subject == user.subject } ?? true
    }

    /// The user of the `id_token_hint` (OpenID Connect Core, section 3.1.2.1); nil where there is none, or it is of nobody here.
    private func hintedUser(of login: PendingLogin) -> ProviderConfiguration.User? {
        guard let hint = login.parameter("id_token_hint"), !hint.isEmpty else { return nil }
        let session = state.sessionIDs[hint].flatMap { state.sessions[$0] }
        let subject = session?.user.subject ?? JSONWebToken.parse(hint)?.subject
        return configuration.users.first { $0.subject == subject }
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
        let values = Dictionary(transaction.values.map { ($0.old, $0.new) }) { first, _ in first }
        let session = open(ProviderState.Session(user: user, signedInAt: now, values: values))
        return finish(transaction, step: step, login, in: session)
    }

    /// Whom to sign in without any page; nil where somebody is to be asked.
    private func autoLoginUser(_ login: PendingLogin) -> ProviderConfiguration.User? {
        guard let name = policy.autoLogin else { return nil }
        if !name.isEmpty { return configuration.users.first { $0.name == name || $0.subject == name } }
        if let hinted = hintedUser(of: login) { return hinted }
        // Whoever signed in to this client.
        let subject = dialect.scripts.first { $0.clientID == login.clientID && $0.subject != nil }?.subject
        return configuration.users.first { $0.subject == subject } ?? configuration.users.first
    }

    /// Whether the last sign-in is recent enough (OpenID Connect Core, section 3.1.2.1).
    private func isFresh(_ session: ProviderState.Session, _ login: PendingLogin) -> Bool {
        guard let maxAge = login.maxAge else { return true }
        return now - session.signedInAt <= .seconds(maxAge)
    }

    /// An unfinished login with the very same request, or one whose page is sent.
    private func openTransaction(of login: PendingLogin, isPosted: Bool) -> Transaction? {
        let key = login.state ?? login.nonce ?? login.challenge
        if let key, let id = state.transactionIDs["request " + key], let transaction = state.transactions[id]
        {
            guard !transaction.isOver, let open = transaction.login else { return nil }
            return open.isSame(as: login) || isPosted && open.isContinued(by: login) ? transaction : nil
        }
        guard key == nil else { return nil }
        return state.transactions.newestFirst.prefix(50).lazy.map(\.value).first {
            !$0.isOver && $0.login?.isSame(as: login) ?? false
        }
    }
}
