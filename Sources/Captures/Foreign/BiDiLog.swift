import JSON

/// Reads what WebDriver BiDi tells of the network, as a client of it logs that: `network.beforeRequestSent`,
/// `network.responseCompleted` and `network.fetchError`, an event a line or in one list, or what these have for `params` alone,
/// as listeners are given it; with the results of `network.getData` where there are some.
struct BiDiLog {
    /// One request and what became of it; a redirect has the same identifier, and counts.
    private struct Key: Hashable {
        var request: String
        var redirects: Int64
    }

    /// What is known of each, in the order in which they were sent.
    private var hops: [BiDiExchange] = []
    private var places: [Key: Int] = [:]
    /// The newest one under each identifier.
    private var newest: [String: Int] = [:]
    /// The newest of them that had a body: what a redirect is followed with has mostly none, and the results name no redirect.
    private var newestWithBody: [String: Int] = [:]
    /// Commands that wait for their result: number to what is asked for.
    private var commands: [String: JSONObject] = [:]

    /// Nil where there is no event of the network in it.
    static func read(_ source: CaptureSource) -> Capture? {
        var log = BiDiLog()
        var events = JSONEvents(source)
        var count = 0
        events.run { event, place in
            count += 1
            log.take(event, at: place)
            // A file of other objects is not read to its end.
            return count < 20000 || !log.hops.isEmpty
        }
        let exchanges = log.hops.compactMap { $0.exchange(in: source) }
        guard !exchanges.isEmpty else { return nil }
        var capture = Capture(foreign: exchanges, creator: "WebDriver BiDi", version: "")
        if let loss = events.loss { capture.losses.append(loss) }
        return capture
    }

    private mutating func take(_ event: JSONValue, at place: JSONEvents.Place) {
        let number = event["id"].map { JSONWriter.text(of: $0) }
        guard let method = event["method"]?.string else {
            if let number, let asked = commands.removeValue(forKey: number), event["result"]?["bytes"] != nil
            {
                answer(asked, at: place)
            }
            if let params = event.object, params["redirectCount"] != nil { takeAlone(params) }
            return
        }
        guard let params = event["params"]?.object else { return }
        switch method {
        case "network.beforeRequestSent": change(params) { $0.sent = params }
        case "network.responseStarted", "network.responseCompleted": change(params) { $0.answered = params }
        case "network.fetchError": change(params) { $0.failed = params }
        case "network.getData": if let number { commands[number] = params }
        default: break
        }
    }

    /// Of which event the parameters are is told by what they have.
    private mutating func takeAlone(_ params: JSONObject) {
        change(params) { hop in
            if params["response"] != nil {
                hop.answered = params
            } else if params["errorText"] != nil {
                hop.failed = params
            } else {
                hop.sent = params
            }
        }
    }

    private mutating func answer(_ asked: JSONObject, at place: JSONEvents.Place) {
        guard let id = asked["request"]?.string, let index = newest[id] else { return }
        if asked["dataType"]?.string == "request" {
            hops[newestWithBody[id] ?? index].requestBody = place
        } else {
            hops[index].responseBody = place
        }
    }

    /// The hop that an event is about.
    private mutating func change(_ params: JSONObject, _ body: (inout BiDiExchange) -> Void) {
        guard let id = params["request"]?["request"]?.string else { return }
        let key = Key(request: id, redirects: params["redirectCount"]?.int ?? 0)
        let index = places[key] ?? hops.count
        if index == hops.count {
            hops.append(BiDiExchange())
            places[key] = index
            newest[id] = index
        }
        if HAREntry.size(params["request"]?["bodySize"]) ?? 0 > 0 { newestWithBody[id] = index }
        body(&hops[index])
    }
}
