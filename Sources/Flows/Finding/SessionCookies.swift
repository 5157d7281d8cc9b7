import Captures
import JOSE

/// The cookies that were set or sent on the way of a login: by them a browser is known again that says nothing else of whose login it
/// ends.
struct SessionCookies {
    /// The latest flow that a cookie was seen in, by name and value.
    private var latest: [String: FlowBuilder] = [:]

    /// In UTF-8; shorter ones are marks and settings.
    private static let minimumLength = 12

    /// Remembers the cookies of an exchange of a flow.
    mutating func learn(_ exchange: Exchange, of flow: FlowBuilder) {
        for cookie in exchange.request.cookies { learn(cookie.name, cookie.value, of: flow) }
        for cookie in exchange.response?.setCookies ?? [] { learn(cookie.name, cookie.value, of: flow) }
    }

    private mutating func learn(_ name: String, _ value: String, of flow: FlowBuilder) {
        guard let key = Self.key(name, value), latest[key].map({ $0.number < flow.number }) ?? true else {
            return
        }
        latest[key] = flow
    }

    /// The last flow of the browser that sent these requests, among those that fit.
    ///
    /// Of its cookies some are in all browsers, and a later one may have had them; its own says how far to go back.
    func flow(of requests: [RecordedRequest], where fits: (FlowBuilder) -> Bool) -> FlowBuilder? {
        requests.flatMap(\.cookies)
            .compactMap { cookie in Self.key(cookie.name, cookie.value).flatMap { latest[$0] } }
            .filter(fits)
            .min { $0.number < $1.number }
    }

    private static func key(_ name: String, _ value: String) -> String? {
        guard value.utf8.count >= minimumLength, !Placeholder.isOne(value) else { return nil }
        return "\(name)=\(value)"
    }
}
