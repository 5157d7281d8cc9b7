import Captures
import Flows

/// Finds what a flow rests on without being part of it: the sign-in that made the session whose cookie the
/// authorization request carries, the page on which somebody confirmed a device.
struct CompanionFinder {
    private let capture: Capture
    private let order: [Int]
    private let position: [Int]
    private let origins: Set<String>
    private let taken: Set<Int>
    /// Which exchange set a cookie to a value first: later ones say it again.
    private let setters: [String: Int]

    /// `taken`: exchanges that belong to flows.
    init(_ flow: Flow, origins: [String], taken: Set<Int>) {
        capture = flow.capture
        order = flow.surroundings.order
        position = flow.surroundings.position
        self.origins = Set(origins)
        self.taken = taken
        var setters: [String: Int] = [:]
        for exchange in flow.surroundings.order {
            for cookie in flow.capture[exchange].response?.setCookies ?? [] {
                let pair = "\(cookie.name)=\(cookie.value)"
                if setters[pair] == nil { setters[pair] = exchange }
            }
        }
        self.setters = setters
    }

    /// Exchanges to be driven besides `driven`, in order of time.
    ///
    /// Backwards in time: whoever set a cookie that is sent, whoever changed something with that cookie, and what those
    /// rest on in turn.
    func companions(of driven: [Int], userCodes: Set<String>) -> [Int] {
        guard let last = driven.map({ position[$0] }).max() else { return [] }
        var needed: Set<String> = []
        var found: [Int] = []
        let driven = Set(driven)
        // Of requests that come later than an exchange, only those may have made it necessary.
        for exchange in order[...last].reversed() {
            if driven.contains(exchange) {
                needed.formUnion(cookies(sentBy: exchange))
                continue
            }
            guard isCandidate(exchange) else { continue }
            let sent = cookies(sentBy: exchange)
            let isUnsafe = !["GET", "HEAD"].contains(capture[exchange].request.method.uppercased())
            let isNeeded =
                !needed.isDisjoint(with: cookies(setBy: exchange))
                || isUnsafe && !needed.isDisjoint(with: sent)
                || userCodes.contains(where: { carries($0, exchange) })
            guard isNeeded else { continue }
            needed.formUnion(sent)
            found.append(exchange)
        }
        return found.reversed()
    }

    private func isCandidate(_ exchange: Int) -> Bool {
        let recorded = capture[exchange]
        guard !taken.contains(exchange), recorded.response != nil,
            let origin = recorded.request.url.origin, origins.contains(origin)
        else { return false }
        return recorded.request.method != "OPTIONS" && recorded.request.method != "CONNECT"
            && !Asset.isAsset(recorded)
    }

    private func carries(_ value: String, _ exchange: Int) -> Bool {
        let request = capture[exchange].request
        if request.url.text.containsBytes(value) { return true }
        guard let body = request.body, (body.size ?? 0) < 64 << 10 else { return false }
        return body.text?.containsBytes(value) ?? false
    }

    private func cookies(sentBy exchange: Int) -> Set<String> {
        Set(capture[exchange].request.cookies.map { "\($0.name)=\($0.value)" })
    }

    private func cookies(setBy exchange: Int) -> Set<String> {
        Set((capture[exchange].response?.setCookies ?? []).map { "\($0.name)=\($0.value)" })
            .filter { setters[$0] == exchange }
    }
}
