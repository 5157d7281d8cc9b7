import Captures
import Flows
import OAuth

/// Who is signed in, in which browser, and how somebody becomes so.
extension ProviderEngine {
    mutating func open(_ session: ProviderState.Session) -> String {
        let id = context.identifier()
        state.sessions[id] = session
        return id
    }

    func sessionCookie(_ id: String) -> SetCookie {
        SetCookie(
            name: MockCookies.session,
            value: id,
            path: "/",
            isSecure: configuration.isSecure,
            isHTTPOnly: true,
            sameSite: "Lax"
        )
    }

    // MARK: - The built-in page

    mutating func signIn(_ form: QueryItems, _ transaction: Transaction) -> BuiltAnswer {
        guard !transaction.isOver, let login = transaction.login else {
            return .page(400, SignInPage.error("This page has been used already."))
        }
        if form.first("action") == "cancel" {
            state.transactions.close(transaction)
            return deliver(.userCancelled, to: login)
        }
        let credentials = SignInCredentials(user: form.first("username"), password: form.first("password"))
        guard credentials.user != nil, let user = configuration.user(with: credentials) else {
            let page = SignInPage.html(
                client: login.clientID,
                transaction: transaction.id,
                action: dialect.paths[.authorization]?.first ?? "",
                user: credentials.user ?? "",
                message: "Name or password is wrong."
            )
            return .page(200, page)
        }
        state.transactions.close(transaction)
        // OpenID Connect Core, section 3.1.2.1: nobody else is answered for.
        guard requestedUser(of: login).isMeant(user) else { return deliver(.loginRequired, to: login) }
        let session = open(ProviderState.Session(user: user, signedInAt: now))
        var answer = deliver(login, in: session)
        answer.cookies.append(sessionCookie(session))
        return answer
    }

    /// Whoever signed in in the recording.
    func user(of script: InteractionScript) -> ProviderConfiguration.User? {
        configuration.likelyUser(subject: script.subject)
    }
}
