import Captures
import Flows

/// What the plans of all flows of a capture are derived from besides the flows: who set which cookie, and what may be
/// driven beside a flow.
struct PlanningIndex {
    /// Names of the cookies that answers set.
    let cookieNames: Set<String>
    /// What any request holds that may be driven.
    let sent: SentTexts
    /// What belongs to no flow, was answered, and is more than a picture; in order of time.
    let others: [Other]
    /// By cookie (`name=value`): places in `others` of those that were the first to set it, or that sent it to change something.
    let othersByCookie: [String: [Int]]

    /// An exchange of no flow.
    struct Other {
        var exchange: Int
        var origin: String
        /// Cookies (`name=value`) that it sent.
        var sent: Set<String>
    }

    /// `flows`: of one capture, at least one.
    init(_ flows: [Flow]) {
        let taken = Set(flows.flatMap(\.exchanges))
        // Who set a cookie to a value first: later ones say it again.
        var known: Set<String> = []
        var names: Set<String> = []
        var others: [Other] = []
        var byCookie: [String: [Int]] = [:]
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
                let cookies = Self.cookies(sentBy: recorded.request)
                let isUnsafe = !["GET", "HEAD"].contains(recorded.request.method.uppercased())
                for cookie in isUnsafe ? set.union(cookies) : set {
                    byCookie[cookie, default: []].append(others.count)
                }
                others.append(Other(exchange: exchange, origin: origin, sent: cookies))
            }
        }
        self.others = others
        othersByCookie = byCookie
        self.sent = sent
        cookieNames = names
    }

    /// The cookies of a request, as `name=value`.
    static func cookies(sentBy request: RecordedRequest) -> Set<String> {
        Set(request.cookies.map { "\($0.name)=\($0.value)" })
    }

    private static func isDrivable(_ exchange: Exchange) -> Bool {
        exchange.response != nil && exchange.request.method != "OPTIONS"
            && exchange.request.method != "CONNECT" && !Asset.isAsset(exchange)
    }
}
