import JSON

/// The bodies of requests, out of what the sockets of Chromium's network log sent (mode `Everything`, *raw bytes*).
///
/// `URL_REQUEST` has the bodies of answers only.
struct NetLogSockets {
    /// A body that was sent, and by when.
    private struct SentBody {
        var method: String
        /// `HOST:PORT/PATH?QUERY`.
        var url: String
        var time: Double
        var bytes: [UInt8]
    }

    private var bodies: [SentBody] = []
    private var clear: [Int64: NetLogSentBytes] = [:]
    private var encrypted: [Int64: NetLogSentBytes] = [:]
    /// The socket of each session of HTTP/2.
    private var sessions: [Int64: Int64] = [:]
    /// What each stream was opened for, by the session.
    private var streams: [Int64: [Int: (method: String, url: String)]] = [:]
    /// Bodies of streams, until it is known at the end what they were sent for.
    private var ofStreams: [(socket: Int64, stream: Int, time: Double, bytes: [UInt8])] = []
    /// Bytes that may be held yet.
    private var budget = 64 << 20

    private static let mostSockets = 16_384
    private static let mostStreams = 65_536

    /// Takes what a socket sent; `isEncrypted`: before TLS has encrypted it.
    mutating func sent(_ socket: Int64, _ params: JSONObject, isEncrypted: Bool, at time: Double) {
        guard budget > 0, let text = params["bytes"]?.string else { return }
        let path = isEncrypted ? \NetLogSockets.encrypted : \NetLogSockets.clear
        // What goes out underneath TLS is nobody's request.
        guard isEncrypted || encrypted[socket] == nil else { return }
        guard self[keyPath: path][socket] != nil || clear.count + encrypted.count < Self.mostSockets else {
            return
        }
        // Taken out: of what the dictionary holds as well, every change makes a copy.
        var reader = self[keyPath: path].removeValue(forKey: socket) ?? NetLogSentBytes()
        let before = reader.weight
        let found = reader.take(Base64.decode(text))
        budget -= reader.weight - before
        self[keyPath: path][socket] = reader
        for body in found {
            budget -= body.bytes.count
            switch body.request {
            case .line(let method, let url):
                bodies.append(SentBody(method: method, url: url, time: time, bytes: body.bytes))
            case .stream(let stream): ofStreams.append((socket, stream, time, body.bytes))
            }
        }
    }

    mutating func session(_ session: Int64, over params: JSONObject) {
        guard sessions.count < Self.mostSockets else { return }
        sessions[session] = params["source_dependency"]?["id"]?.int
    }

    mutating func opened(_ params: JSONObject, in session: Int64) {
        guard let stream = params["stream_id"]?.int, let lines = params["headers"]?.array,
            streams[session, default: [:]].count < Self.mostStreams
        else { return }
        func field(_ name: String) -> String {
            lines.lazy.compactMap(\.string).first { $0.hasPrefix(name) }.map {
                String($0.dropFirst(name.count))
            } ?? ""
        }
        let method = field(":method: ")
        guard method != "GET" else { return }
        streams[session, default: [:]][Int(stream)] = (method, field(":authority: ") + field(":path: "))
    }

    /// Says what the streams were for, once all is known.
    private mutating func nameStreams() {
        let ofSocket = Dictionary(sessions.map { ($0.value, $0.key) }) { first, _ in first }
        for body in ofStreams {
            guard let session = ofSocket[body.socket], let request = streams[session]?[body.stream] else {
                continue
            }
            bodies.append(
                SentBody(method: request.method, url: request.url, time: body.time, bytes: body.bytes)
            )
        }
        ofStreams = []
    }

    /// Gives each body to the one request that was sent meanwhile, to the same address and with as many bytes.
    ///
    /// Where several were, nobody knows whose it is.
    mutating func giveBodies(to hops: inout [NetLog.Hop]) {
        nameStreams()
        guard !bodies.isEmpty else { return }
        var waiting: [String: [Int]] = [:]
        for (index, hop) in hops.enumerated() where hop.method != "GET" && hop.requestHeaders != nil {
            waiting["\(hop.method) \(NetLogSentBytes.withoutScheme(hop.url))", default: []].append(index)
        }
        // By address, how many requests had begun by then.
        var begun: [String: Int] = [:]
        for body in bodies.sorted(by: { $0.time < $1.time }) {
            let address = "\(body.method) \(body.url)"
            guard let list = waiting[address] else { continue }
            var count = begun[address] ?? 0
            while count < list.count, hops[list[count]].startedAt <= body.time { count += 1 }
            begun[address] = count
            let meant = list[..<count].suffix(Self.mostAtATime).filter { mayHaveSent(body, hops[$0]) }
            if meant.count == 1 { hops[meant[0]].sentBody = body.bytes }
        }
    }

    /// Requests to one address at a time, of which the log is looked through for one.
    private static let mostAtATime = 64

    private func mayHaveSent(_ body: SentBody, _ hop: NetLog.Hop) -> Bool {
        guard hop.sentBody == nil, (hop.sending.begin ?? hop.startedAt) <= body.time,
            body.time <= hop.waiting.end ?? hop.endedAt ?? .infinity
        else { return false }
        // No event says it of HTTP/2.
        let told = HeaderFields(Producers.fields(.array(hop.requestHeaders ?? []))).first("content-length")
        return (hop.sentBytes ?? told.flatMap { Int($0) }).map { $0 == body.bytes.count } ?? true
    }
}
