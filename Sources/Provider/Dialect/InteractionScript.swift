import Captures
import OAuth

/// What a user met at the provider's pages, as it was recorded: requests and answers in the order of time.
struct InteractionScript: Sendable {
    enum Purpose: Sendable {
        /// Between an authorization request and its response.
        case login
        /// After a logout request.
        case logout
        /// Without a request of a client.
        case visit
    }

    /// How an authorization response left the provider.
    enum Delivery: Sendable {
        /// `Location`.
        case redirect
        /// A page with an automatic form, or an answer that a script reads.
        case body
    }

    struct Step: Sendable {
        var method: String
        /// As recorded.
        var url: RecordedURL
        /// The body that was sent, where it is a small text.
        var sentText = ""
        /// Names of form fields or JSON members.
        var fields: Set<String>
        var credentials: SignInCredentials?
        var status: Int
        var headers: HeaderFields
        var cookies: [SetCookie]
        /// Where it leads to, as a whole URL.
        var location: SentText?
        var body: Body?
        /// When it was answered, for the lifetime of its cookies.
        var answeredAt: Timestamp
        var delivery: Delivery?
        /// Whether it was a try with a wrong password.
        var isFailedSignIn = false

        /// Whether the request may be repeated without doing anything (RFC 9110, section 9.2.1).
        var isSafe: Bool { method == "GET" || method == "HEAD" }
        var isPage: Bool { status < 400 && body?.isPage ?? false }
    }

    var purpose: Purpose
    var clientID: String?
    var prompt: [String] = []
    /// Of the request that began it.
    var parameters = RequestParameters()
    var steps: [Step] = []
    /// Values that the provider made up, other than protocol values: each run has its own.
    var issued: [String] = []
    /// The code that a page handed to an app by itself: no request shows how it got there.
    var deliveredCode: String?
    /// `sub` of who signed in.
    var subject: String?
    /// What went back to the client instead of a code.
    var error: [(String, String)]?
    /// Where it went.
    var errorMode: AuthorizationResponse.Mode?
    /// Whether the browser brought a session along that the capture does not show the beginning of, or does.
    var hadSession = false
    /// Names of the cookies that came with the request that began it.
    var sentCookies: Set<String> = []

    init(purpose: Purpose) { self.purpose = purpose }

    /// Whether the response followed the request without any page.
    var answersAtOnce: Bool { answersAtOnce(isKnown: false) }

    /// The same of a browser that may be known, as the recorded one may have been.
    func answersAtOnce(isKnown: Bool) -> Bool { steps.first?.delivery != nil && (isKnown || !hadSession) }

    var isSilent: Bool { prompt.contains("none") }

    /// Whether it ended with a response that is no error.
    var succeeds: Bool { error == nil && steps.contains { $0.delivery != nil } }

    /// The first step that changes something behind another one; the number of steps where none does.
    func nextChange(after index: Int) -> Int {
        steps.indices.first { $0 > index && !steps[$0].isSafe && !steps[$0].isFailedSignIn } ?? steps.count
    }

    /// Whether everything was done that has to be before a step: the user signed in, or, where nobody did, all that was
    /// sent.
    ///
    /// Consent may have been given before: then nobody is asked again.
    func isReady(_ index: Int, served: Set<Int>) -> Bool {
        let sent = steps[..<index].indices.filter { !steps[$0].isSafe && !steps[$0].isFailedSignIn }
        let signIns = sent.filter { steps[$0].credentials?.password != nil }
        return (signIns.isEmpty ? sent : signIns).allSatisfy(served.contains)
    }

    /// Cookies that a browser got by signing in, or later: those that were there before say nothing of a user.
    ///
    /// Where none came then, the provider keeps no session.
    ///
    /// `known`: names of those by which it was seen to know a browser again.
    func sessionCookies(_ known: Set<String>) -> [SetCookie] {
        let signIn = steps.indices.last {
            steps[$0].credentials?.password != nil && !steps[$0].isFailedSignIn
        }
        return steps.indices.flatMap { index in
            steps[index].cookies.filter { cookie in
                !cookie.value.isEmpty && !cookie.isDeletion(at: steps[index].answeredAt)
                    && (index >= signIn ?? 0 || known.contains(cookie.name))
            }
        }
    }

    /// The first page that something went on from to which nothing in it leads: no form, no address, no redirect.
    ///
    /// Its scripts do, where they run.
    var scriptedPage: Step? {
        let end = steps.firstIndex { $0.delivery != nil } ?? steps.endIndex
        for index in steps.indices.dropFirst() where index <= end && !steps[index].isFailedSignIn {
            let step = steps[index]
            guard let page = page(before: index).map({ steps[$0] }), !leads(to: step, from: page),
                step.isPage || step.location != nil || step.delivery != nil,
                !steps[..<index].contains(where: { earlier in
                    earlier.location.map { RecordedURL($0.text).path == step.url.path } ?? false
                })
            else { continue }
            return page
        }
        return nil
    }

    private func leads(to step: Step, from page: Step) -> Bool {
        guard let text = page.body?.text else { return true }
        if step.url.path == page.url.path || step.url.path.utf8.count > 1 && text.containsBytes(step.url.path)
        {
            return true
        }
        return HTMLForm.all(in: text).contains { page.url.resolving($0.action).path == step.url.path }
    }

    /// The page from which a step was sent.
    func page(before index: Int) -> Int? { steps[..<index].indices.last { steps[$0].isPage } }
}
