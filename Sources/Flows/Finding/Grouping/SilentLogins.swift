import Captures
import OAuth

/// Logins with a silent request within the last minute, in order: an interactive one of the same app goes on with one that came to
/// nothing.
struct SilentLogins {
    private var logins: ArraySlice<FlowBuilder> = []

    mutating func insert(_ flow: FlowBuilder) {
        if !logins.contains(where: { $0 === flow }) { logins.append(flow) }
    }

    /// The flow whose last request was a silent one of the same app and browser within a minute before, and came to nothing.
    mutating func flow(before request: AuthorizationRequest, in index: CaptureIndex) -> FlowBuilder? {
        let capture = index.capture
        let time = capture[request.exchange].startedAt
        let isRecent = { (flow: FlowBuilder) in
            flow.requests.last.map { time - capture[$0.exchange].startedAt <= .seconds(60) } ?? false
        }
        while let first = logins.first, !isRecent(first) { logins.removeFirst() }
        let candidates = logins.filter { flow in
            guard let silent = flow.requests.last, silent.isSilent, silent.clientID == request.clientID else {
                return false
            }
            return isRecent(flow) && Self.isSameApp(silent.redirectURI, request.redirectURI)
                && Self.isRefused(silent, in: flow, capture)
                && flow.mayBeOfBrowser(in: request.exchange, index)
        }
        return candidates.max { $0.number < $1.number }
    }

    /// Silent probes are often answered at a page of their own, beside the one of the login.
    private static func isSameApp(_ one: String?, _ other: String?) -> Bool {
        if one == other { return true }
        guard let one = one.flatMap({ RecordedURL($0).origin }) else { return false }
        return one == other.flatMap { RecordedURL($0).origin }
    }

    /// Whether a silent request came to nothing: by its answer, or by what its page posts to the app's window.
    private static func isRefused(_ silent: AuthorizationRequest, in flow: FlowBuilder, _ capture: Capture)
        -> Bool
    {
        if flow.responses.last?.error != nil { return true }
        guard flow.responses.isEmpty,
            silent.parameters["response_mode"].map(PostedMessage.modes.contains) ?? false
        else { return false }
        return flow.exchanges.contains { PostedMessage.silentError(on: capture[$0]) != nil }
    }
}
