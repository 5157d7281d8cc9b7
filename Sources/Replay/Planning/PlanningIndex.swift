import Captures
import Flows

/// What the plans of all flows of a capture are derived from besides the flows: who set which cookie, and what may be
/// driven beside a flow.
struct PlanningIndex {
    /// Names of the cookies that answers set.
    let cookieNames: Set<String>
    /// What any request holds that may be driven.
    let sent: SentTexts
    /// By origin: what belongs to no flow, was answered, and is more than a picture; in order of time.
    private let others: [String: [Other]]

    /// An exchange of no flow.
    struct Other {
        var exchange: Int
        /// Cookies (`name=value`) that it sent, and those that its answer was the first to set.
        var sent: Set<String>
        var set: Set<String>
    }

    /// `flows`: of one capture, at least one.
    init(_ flows: [Flow]) {
        let taken = Set(flows.flatMap(\.exchanges))
        // Who set a cookie to a value first: later ones say it again.
        var known: Set<String> = []
        var names: Set<String> = []
        var others: [String: [Other]] = [:]
        var sent = SentTexts()
        if let flow = flows.first {
            let capture = flow.capture
            for exchange in flow.surroundings.order {
                let recorded = capture[exchange]
                if taken.contains(exchange) || Self.isDrivable(recorded) { sent.note(recorded.request) }
                var set: Set<String> = []
                for cookie in recorded.response?.setCookies ?? [] {
                    names.insert(cookie.name)
                    let pair = "\(cookie.name)=\(cookie.value)"
                    if known.insert(pair).inserted { set.insert(pair) }
                }
                guard !taken.contains(exchange), Self.isDrivable(recorded),
                    let origin = recorded.request.url.origin
                else { continue }
                others[origin, default: []].append(
                    Other(exchange: exchange, sent: Self.cookies(sentBy: recorded.request), set: set)
                )
            }
        }
        self.others = others
        self.sent = sent
        cookieNames = names
    }

    /// What belongs to no flow at these origins.
    func others(at origins: Set<String>) -> [Other] { origins.flatMap { others[$0] ?? [] } }

    /// The cookies of a request, as `name=value`.
    static func cookies(sentBy request: RecordedRequest) -> Set<String> {
        Set(request.cookies.map { "\($0.name)=\($0.value)" })
    }

    private static func isDrivable(_ exchange: Exchange) -> Bool {
        exchange.response != nil && exchange.request.method != "OPTIONS"
            && exchange.request.method != "CONNECT" && !Asset.isAsset(exchange)
    }
}
