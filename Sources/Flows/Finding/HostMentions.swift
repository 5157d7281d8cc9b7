import Captures

/// Where the answers of a capture name a host first: in a redirect, a page, a script.
///
/// A browser asks its maker's sign-in for itself, too, and then nothing that it was answered had to do with that. What cannot be
/// read counts as naming every host.
struct HostMentions {
    private let index: CaptureIndex
    /// Positions in the order of time, by host; nil where it was looked for and not found.
    private var known: [String: Int?] = [:]
    /// From which position on something was not read.
    private var unread: Int?
    private var budget = 32 << 20
    private static let mostHosts = 10

    init(_ index: CaptureIndex) { self.index = index }

    /// Whether there may be one before an exchange.
    mutating func areThere(of host: String, before exchange: Int) -> Bool {
        let position = index.position[exchange]
        if known[host] == nil {
            guard known.count < Self.mostHosts else { return true }
            known[host] = .some(firstMention(of: host))
        }
        if let first = known[host] ?? nil, first < position { return true }
        return unread.map { $0 < position } ?? false
    }

    private mutating func firstMention(of host: String) -> Int? {
        let wanted = Array(host.utf8)
        for (position, exchange) in index.order.enumerated() {
            guard unread.map({ position < $0 }) ?? true else { return nil }
            let recorded = index.capture[exchange]
            guard let response = recorded.response else { continue }
            if let location = response.location, location.containsBytes(host) { return position }
            guard mayName(recorded, response) else { continue }
            guard let bytes = response.body?.bytes, bytes.count <= budget else {
                unread = position
                return nil
            }
            budget -= bytes.count
            if bytes.firstRange(of: wanted) != nil { return position }
        }
        return nil
    }

    /// Whether a browser gets addresses out of an answer: a page, a script, JSON, or one of these that it had kept.
    private func mayName(_ exchange: Exchange, _ response: RecordedResponse) -> Bool {
        if response.status == 304 {
            return !Asset.isAsset(exchange) || exchange.request.url.path.hasSuffix(".js")
        }
        guard let body = response.body, body.size != 0, let type = body.essence else { return false }
        return ["html", "script", "json"].contains(where: type.containsBytes)
    }
}
