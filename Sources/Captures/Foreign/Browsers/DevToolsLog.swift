import JSON

/// Reads a log of the DevTools protocol (Chromium's, also Firefox's and Node's by it): an event a line, a list of events,
/// or the performance log of ChromeDriver, in which each is a text in a `message`.
struct DevToolsLog {
    /// One request and what became of it; a redirect begins the next one under the same id.
    struct Hop {
        var sent: JSONObject
        var response: JSONObject?
        /// With the next hop's request.
        var endedAt: Double?
        var failure: String?
        /// What the network layer saw, in the order of hops that have it.
        var requestExtra: JSONObject?
        var responseExtra: JSONObject?
        var hasExtra = true
        var finished: JSONObject?
        var receivedBytes: Int?
        var isServedFromMemory = false
        var page: String?

        /// The browser's cache that it was answered out of; nil where a server was asked, be it only whether the answer still holds.
        var cache: String? {
            if isServedFromMemory { return "memory" }
            let size = Producers.integer(finished?["encodedDataLength"] ?? response?["encodedDataLength"])
            let isOfDisk = response?["fromDiskCache"] == .bool(true) && responseExtra == nil && size ?? 0 == 0
            return isOfDisk ? "disk" : nil
        }
    }

    /// Everything under one request id.
    struct Line {
        var hops: [Int] = []
        var requestExtras: [JSONObject] = []
        var responseExtras: [JSONObject] = []
        /// Where the answer to `Network.getResponseBody` stands.
        var body: JSONEvents.Place?
        /// That to `Network.getRequestPostData`.
        var postData: [UInt8]?
    }

    /// A main frame's document.
    struct Page {
        var id: String
        var url: String
    }

    private let source: CaptureSource
    private(set) var hops: [Hop] = []
    private var hopKeys: [String] = []
    private var lines: [String: Line] = [:]
    private var pages: [Page] = []
    /// Commands that wait for their answer: number to request id and method.
    private var commands: [String: (key: String, method: String)] = [:]

    /// Nil where there is no event of the network in it.
    static func read(_ source: CaptureSource) -> Capture? {
        var log = DevToolsLog(source: source)
        var events = JSONEvents(source)
        var count = 0
        events.run { event, place in
            count += 1
            log.take(event, at: place, depth: 0)
            // A file of other objects is not read to its end.
            return count < 20000 || !log.hops.isEmpty
        }
        guard !log.hops.isEmpty else { return nil }
        var capture = log.capture()
        if let loss = events.loss { capture.losses.append(loss) }
        return capture
    }

    private init(source: CaptureSource) { self.source = source }

    // MARK: - Events

    private mutating func take(_ event: JSONValue, at place: JSONEvents.Place, depth: Int) {
        guard let object = event.object, depth < 4 else { return }
        if let message = object["message"], object["method"] == nil {
            // ChromeDriver: `{"level":…,"message":"{\"message\":{\"method\":…}}"}`.
            let inner = message.string.flatMap { try? JSONParser.parse(Array($0.utf8)) } ?? message
            return take(inner, at: place, depth: depth + 1)
        }
        let session = object["sessionId"]?.string ?? ""
        let number = object["id"].map { "\(session) \(JSONWriter.text(of: $0))" }
        if let result = object["result"], let number, object["method"] == nil {
            if let command = commands.removeValue(forKey: number) {
                answer(result, to: command.method, key: command.key, at: place)
            }
            return
        }
        guard let method = object["method"]?.string else { return }
        let params = object["params"]?.object ?? JSONObject()
        let key = "\(session) \(params["requestId"]?.string ?? "")"
        if method == "Network.getResponseBody" || method == "Network.getRequestPostData" {
            if let result = object["result"] {
                answer(result, to: method, key: key, at: place)
            } else if let number {
                commands[number] = (key, method)
            }
            return
        }
        network(method, params, key)
    }

    private mutating func answer(
        _ result: JSONValue,
        to method: String,
        key: String,
        at place: JSONEvents.Place
    ) {
        if method == "Network.getResponseBody", result["body"]?.string != nil {
            lines[key, default: Line()].body = place
        } else if let text = result["postData"]?.string {
            let isEncoded = result["base64Encoded"] == .bool(true)
            lines[key, default: Line()].postData = isEncoded ? Base64.decode(text) : Array(text.utf8)
        }
    }

    private mutating func network(_ method: String, _ params: JSONObject, _ key: String) {
        switch method {
        case "Network.requestWillBeSent": begin(params, key)
        case "Network.requestWillBeSentExtraInfo": lines[key, default: Line()].requestExtras.append(params)
        case "Network.responseReceivedExtraInfo": lines[key, default: Line()].responseExtras.append(params)
        case "Network.responseReceived":
            change(key) { hop in
                hop.response = params["response"]?.object
                if params["hasExtraInfo"] == .bool(false) { hop.hasExtra = false }
            }
        case "Network.requestServedFromCache": change(key) { $0.isServedFromMemory = true }
        case "Network.dataReceived":
            change(key) { hop in
                guard let count = Producers.integer(params["dataLength"]), count >= 0 else { return }
                let sum = (hop.receivedBytes ?? 0).addingReportingOverflow(Int(count))
                if !sum.overflow { hop.receivedBytes = sum.partialValue }
            }
        case "Network.loadingFinished":
            change(key) { hop in
                hop.finished = params
                hop.endedAt = params["timestamp"]?.double
            }
        case "Network.loadingFailed":
            change(key) { hop in
                hop.endedAt = params["timestamp"]?.double
                hop.failure = Self.failure(params)
            }
        case "Page.frameNavigated":
            guard let frame = params["frame"], frame["parentId"] == nil, let id = frame["loaderId"]?.string
            else { return }
            let url = (frame["url"]?.string ?? "") + (frame["urlFragment"]?.string ?? "")
            pages.append(Page(id: id, url: url))
        default: break
        }
    }

    private static func failure(_ params: JSONObject) -> String {
        if let words = params["errorText"]?.string, !words.isEmpty { return words }
        for reason in [params["blockedReason"], params["corsErrorStatus"]?["corsError"]] {
            if let reason = reason?.string, !reason.isEmpty { return "blocked: \(reason)" }
        }
        return params["canceled"] == .bool(true) ? "canceled" : "failed"
    }

    private mutating func begin(_ params: JSONObject, _ key: String) {
        if let redirect = params["redirectResponse"]?.object {
            change(key) { hop in
                hop.response = redirect
                hop.endedAt = params["timestamp"]?.double
                if params["redirectHasExtraInfo"] == .bool(false) { hop.hasExtra = false }
            }
        }
        var hop = Hop(sent: params)
        hop.page = params["loaderId"]?.string
        lines[key, default: Line()].hops.append(hops.count)
        hops.append(hop)
        hopKeys.append(key)
    }

    /// The newest hop under an id.
    private mutating func change(_ key: String, _ body: (inout Hop) -> Void) {
        guard let index = lines[key]?.hops.last else { return }
        body(&hops[index])
    }

    // MARK: - The capture

    private mutating func capture() -> Capture {
        for line in lines.values {
            let seen = line.hops.filter { hops[$0].hasExtra }
            for (hop, extra) in zip(seen, line.requestExtras) { hops[hop].requestExtra = extra }
            // Answers on the way to one (103) have their events as well; there are no hops for them.
            let answers = line.responseExtras.filter { ($0["statusCode"]?.int ?? 200) >= 200 }
            for (hop, extra) in zip(seen.filter { hops[$0].response != nil }, answers) {
                hops[hop].responseExtra = extra
            }
        }
        var exchanges: [Exchange] = []
        var starts: [String: Timestamp] = [:]
        let pageIDs = Set(pages.map(\.id))
        for (index, hop) in hops.enumerated() {
            let line = lines[hopKeys[index]] ?? Line()
            let isLast = line.hops.last == index
            let body = isLast ? line.body : nil
            guard
                var exchange = DevToolsExchange(hop, postData: line.postData, body: body, source: source)
                    .exchange()
            else { continue }
            if let page = hop.page, pageIDs.contains(page) {
                exchange.foreign["pageref"] = .string(page)
                if starts[page] == nil { starts[page] = exchange.startedAt }
            }
            exchanges.append(exchange)
        }
        var capture = Capture(foreign: exchanges, creator: "DevTools log", version: "")
        let known = pages.compactMap { page in
            starts[page.id].map { start in
                JSONValue.object([
                    "startedDateTime": .string(start.rfc3339), "id": .string(page.id),
                    "title": .string(page.url),
                    "pageTimings": .object(JSONObject()),
                ])
            }
        }
        if !known.isEmpty { capture.logMembers["pages"] = .array(known) }
        return capture
    }
}
