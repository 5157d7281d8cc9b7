import Captures
import Flows
import JSON

/// A user's way through recorded pages: a transaction in the script that it follows.
///
/// Knows which step a request is, who signs in with it, and how a step is answered. What the way leads to, a response to a client or the
/// end of a session, is not its own.
struct ScriptWalk {
    private(set) var transaction: Transaction
    let script: InteractionScript
    private let context: ProviderContext

    /// Nil of a transaction at the built-in page, which follows none.
    init?(_ transaction: Transaction, _ context: ProviderContext) {
        guard let number = transaction.script else { return nil }
        self.transaction = transaction
        self.context = context
        script = context.dialect.scripts[number]
    }

    /// What the recorded steps are answered by.
    var player: StepPlayer {
        StepPlayer(
            transaction,
            addresses: context.dialect.addresses,
            isSecure: context.configuration.isSecure
        )
    }

    /// What the cookies of the recorded session stand at here.
    var sessionCookieValues: [String] {
        let player = player
        return script.sessionCookies(context.dialect.sessionCookieNames).map { player.played($0.value) }
    }

    // MARK: - Which step it is

    private var matcher: StepMatcher { StepMatcher(transaction, script, context.dialect) }

    func step(for request: RecordedRequest) -> Int? { matcher.step(for: request) }

    /// Whether the user says no to what is asked at a step.
    func isDeclined(_ request: RecordedRequest, at index: Int) -> Bool {
        matcher.isDeclined(request, at: index)
    }

    /// Whether whatever is still to come behind a step only shows that it is done.
    func changesNothing(after index: Int) -> Bool { script.nextChange(after: index) == script.steps.count }

    // MARK: - Going on

    /// What stands for some recorded values from now on.
    mutating func take(_ values: [String: String]) { transaction.take(values) }

    /// A step is answered.
    mutating func serve(_ index: Int) {
        transaction.served.insert(index)
        if !script.steps[index].isSafe { transaction.progress = max(transaction.progress, index) }
    }

    /// Knows who signs in with a request from now on, where a step is one at which somebody does.
    ///
    /// - Returns: whether the way goes on: not with a password that nobody has.
    mutating func signIn(with request: RecordedRequest, at index: Int) -> Bool {
        let step = script.steps[index]
        guard !step.isSafe, step.credentials != nil,
            let sent = SignInCredentials(of: request, fields: context.dialect.passwordFields)
        else { return true }
        // The name may have been asked for on a page before.
        let whole = SignInCredentials(user: sent.user ?? transaction.typedName, password: sent.password)
        transaction.typedName = whole.user
        guard whole.password != nil else { return true }
        guard let user = context.configuration.user(with: whole) else { return false }
        transaction.user = user
        transaction.signedInAt = context.now
        return true
    }

    // MARK: - Answers

    /// A step as it was answered.
    func answer(_ index: Int) -> BuiltAnswer {
        var answer = player.answer(script.steps[index])
        // Without any cookie of the provider's the browser has to be known by one of ours.
        if index == 0, answer.cookies.isEmpty, script.steps.count > 1 {
            answer.cookies.append(
                SetCookie(
                    name: MockCookies.transaction,
                    value: transaction.id,
                    path: "/",
                    isSecure: context.configuration.isSecure,
                    isHTTPOnly: true,
                    sameSite: "Lax"
                )
            )
        }
        return answer
    }

    /// The answer to the form of a sign-in that was sent with nothing typed into it; nil of any other request.
    func refusedEmptySignIn(_ request: RecordedRequest) -> BuiltAnswer? {
        matcher.emptySignIn(for: request).map { refusedSignIn(request, at: $0) }
    }

    /// The recorded answer to a wrong password; else the page once more.
    func refusedSignIn(_ request: RecordedRequest, at index: Int) -> BuiltAnswer {
        let path = script.steps[index].url.path
        if let failed = script.steps.first(where: { $0.isFailedSignIn && $0.url.path == path }) {
            return player.answer(failed)
        }
        let isScripted = request.body?.essence == "application/json"
        if !isScripted, let page = script.page(before: index) { return player.answer(script.steps[page]) }
        return .json(["error": "access_denied"], status: 401)
    }
}
