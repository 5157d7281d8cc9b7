import Captures
import Flows

/// Who is signed in, in which browser: the sessions, and by what each is known again.
///
/// Judges nothing: whether a session is recent enough, or its user the one that is asked for, is for whoever finds it.
struct BrowserSessions: Sendable {
    private var sessions = LimitedTable<ProviderState.Session>()
    /// By the cookies that carry them, and by the ID tokens that were issued in them.
    private var known = LimitedTable<String>(limit: 100_000)

    /// Older sessions of the same user are not looked through when it signs out.
    private static let mostEnded = 50

    subscript(id: String) -> ProviderState.Session? {
        get { sessions[id] }
        set { sessions[id] = newValue }
    }

    /// From now on a session is known by a value as well: a cookie that plays a recorded one, or an ID token.
    mutating func recognize(_ id: String, by value: String) { known[value] = id }

    /// The session that a cookie carries or an ID token was issued in, which may have ended since.
    func id(knownBy value: String) -> String? { known[value] }

    /// The session that a browser carries a cookie of.
    func session(of request: RecordedRequest) -> (id: String, session: ProviderState.Session)? {
        for cookie in request.cookies {
            // A recorded provider may have a cookie of the same name.
            let own = cookie.name == MockCookies.session ? cookie.value : nil
            for id in [own, known[cookie.value]].compactMap(\.self) {
                if let session = sessions[id] { return (id, session) }
            }
        }
        return nil
    }

    /// Ends a session, and with a subject all of that user's.
    ///
    /// - Returns: the sessions that ended, the named one first.
    mutating func end(_ id: String?, subject: String?) -> [ProviderState.Session] {
        var ended = id.flatMap { sessions[$0] }.map { [$0] } ?? []
        if let id { sessions[id] = nil }
        if let subject {
            let others = sessions.newestFirst.lazy.map(\.value).filter { $0.user.subject == subject }
            ended += others.prefix(Self.mostEnded)
            sessions.removeAll { $0.user.subject == subject }
        }
        return ended
    }
}
