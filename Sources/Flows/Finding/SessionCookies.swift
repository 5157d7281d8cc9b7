import Captures
import JOSE

/// The cookies that were set on the way of a login: by them a browser is known again that says nothing else of whose login it ends.
struct SessionCookies {
    /// By name and value; nil where several flows have set the same.
    private var flows: [String: FlowBuilder?] = [:]

    /// In UTF-8; shorter ones are marks and settings.
    private static let minimumLength = 12

    /// Remembers what an answer on the way of a flow sets.
    mutating func learn(_ exchange: Exchange, of flow: FlowBuilder) {
        for cookie in exchange.response?.setCookies ?? [] {
            guard let key = Self.key(cookie.name, cookie.value) else { continue }
            if let known = flows[key] {
                if known !== flow { flows[key] = .some(nil) }
            } else {
                flows[key] = flow
            }
        }
    }

    /// The latest flow that alone set a cookie which these requests carry, among those that fit.
    func flow(of requests: [RecordedRequest], where fits: (FlowBuilder) -> Bool) -> FlowBuilder? {
        requests.flatMap(\.cookies)
            .compactMap { cookie in Self.key(cookie.name, cookie.value).flatMap { flows[$0] ?? nil } }
            .filter(fits)
            .max { $0.number < $1.number }
    }

    private static func key(_ name: String, _ value: String) -> String? {
        guard value.utf8.count >= minimumLength, !Placeholder.isOne(value) else { return nil }
        return "\(name)=\(value)"
    }
}
