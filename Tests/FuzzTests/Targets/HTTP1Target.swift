@testable import Captures
import NIOCore
@testable import Proxy
@testable import Wire

/// HTTP/1, read by the proxy to send it on and by the recorder to write it down.
enum HTTP1Target {
    /// What the answers of ``responses(_:)`` answer: among them those that change what follows;
    /// of the last, a part.
    static let asked = Array(
        """
        GET / HTTP/1.1\r\n\r\nHEAD /a HTTP/1.1\r\n\r\nPOST /b HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc\
        GET /c HTTP/1.1\r\n\r\nGET /d HTTP/1.1\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n\
        GET /e HTTP/1.1\r\n\r\nCONNECT rp.example:443 HTTP/1.1\r\n\r\nGET /f HT
        """
        .utf8
    )

    static let now = Timestamp(seconds: 1_780_000_000)

    static func requests(_ input: [UInt8]) throws(FuzzFinding) {
        try decoderAgrees(input, from: .client, behind: [])
        try splitterAgrees(input)
        try connectionIsDecided(input)
        try RoundTrip.check(exchanges([(.client, input)], alpn: "http/1.1"))
    }

    static func responses(_ input: [UInt8]) throws(FuzzFinding) {
        try decoderAgrees(input, from: .server, behind: asked)
        try tunnelIsDecided(input)
        try RoundTrip.check(exchanges([(.client, asked), (.server, input)], alpn: "http/1.1"))
    }

    /// The exchanges of a connection, those that are not complete included.
    static func exchanges(_ turns: [(Side, [UInt8])], alpn: String?, budget: RecordingBudget? = nil)
        -> [Exchange]
    {
        var configuration = Conversation.Configuration(scheme: "https", authority: "idp.example")
        configuration.connection.alpn = alpn
        configuration.maximumBodyBytes = 4096
        configuration.budget = budget
        let conversation = Conversation(configuration)
        var found: [Exchange] = []
        for (side, bytes) in turns {
            found += conversation.received(ByteBuffer(bytes: bytes), from: side, at: now)
        }
        found += conversation.ended(.server, reason: nil, at: now)
        return found + conversation.abandon(at: now, reason: "the recording ended")
    }

    // MARK: - The recorder

    private static func decoderAgrees(_ input: [UInt8], from side: Side, behind asked: [UInt8])
        throws(FuzzFinding)
    {
        let whole = try decoded([input[...]], from: side, behind: asked)
        let limit = 2 * (HTTP1Decoder.HeadLimit().bytes + input.count)
        try whole.checkHeld(atMost: limit)
        try decoded([input[...]], from: side, behind: asked, room: 64).checkHeld(atMost: 64)
        for cut in Pieces.cuts(of: input) {
            let log = try decoded(cut, from: side, behind: asked)
            try log.checkHeld(atMost: limit)
            try require(log == whole, "in pieces: \(log.difference(to: whole))")
            try decoded(cut, from: side, behind: asked, room: 64).checkHeld(atMost: 64)
        }
    }

    private static func decoded(
        _ pieces: [ArraySlice<UInt8>],
        from side: Side,
        behind asked: [UInt8],
        room: Int = .max
    ) throws(FuzzFinding) -> EventLog {
        var decoder = HTTP1Decoder()
        var log = EventLog()
        log.room = room
        asked.withUnsafeBufferPointer { _ = decoder.receive($0, from: .client, at: now, into: &log) }
        for piece in pieces {
            piece.withUnsafeBufferPointer { _ = decoder.receive($0, from: side, at: now, into: &log) }
        }
        if decoder.hasLostTheThread {
            try require(log.held == 0, "\(log.held) bytes are held of a connection that is not read any more")
        }
        decoder.end(.server, reason: nil, at: now, into: &log)
        return log
    }

    // MARK: - The proxy

    /// What the proxy sends on of a client's bytes.
    private struct Sent: Equatable {
        var requests: [ProxyRequest] = []
        /// The bodies, framing included; one a request.
        var bodies: [[UInt8]] = []
        var isLastWhole = true
        var refusal: ProxyRequest.Refusal?
        var isStuck = false
    }

    private static func sent(_ pieces: [ArraySlice<UInt8>], isForServer: Bool) -> Sent {
        var splitter = RequestSplitter(maximumHeadBytes: 16 << 10, isForServer: isForServer)
        var sent = Sent()
        for piece in pieces {
            splitter.received(ByteBuffer(bytes: piece))
            var steps = 0
            while let part = splitter.next() {
                steps += 1
                // Each byte is in one piece; a head and an end are pieces besides.
                if steps > 4 * (piece.count + splitter.rest.readableBytes) + 100_000 {
                    sent.isStuck = true
                    return sent
                }
                switch part {
                case .head(let request):
                    sent.requests.append(request)
                    sent.bodies.append([])
                    sent.isLastWhole = false
                case .body(let bytes):
                    if sent.bodies.isEmpty { sent.bodies.append([]) }
                    sent.bodies[sent.bodies.count - 1] += bytes.readableBytesView
                case .end: sent.isLastWhole = true
                case .refused(let refusal): sent.refusal = refusal
                }
            }
        }
        return sent
    }

    private static func splitterAgrees(_ input: [UInt8]) throws(FuzzFinding) {
        for isForServer in [false, true] {
            let whole = sent([input[...]], isForServer: isForServer)
            try require(!whole.isStuck, "the splitter does not end")
            for cut in Pieces.cuts(of: input) {
                let other = sent(cut, isForServer: isForServer)
                try require(other == whole, "in pieces: \(other) instead of \(whole)")
            }
            if !isForServer { try serverReadsTheSame(whole) }
        }
    }

    /// Whether a server reads the requests that it is sent as the proxy did: what one end takes for a body shall be no
    /// request to the other.
    private static func serverReadsTheSame(_ sent: Sent) throws(FuzzFinding) {
        // What is not in absolute form is not sent on by this way.
        let count = sent.requests.prefix { if case .absolute = $0.target { true } else { false } }.count
        for (index, request) in sent.requests.prefix(count).enumerated() {
            var decoder = HTTP1Decoder()
            var log = EventLog()
            let bytes = request.rewritten + sent.bodies[index]
            bytes.withUnsafeBufferPointer { _ = decoder.receive($0, from: .client, at: now, into: &log) }
            let isWhole = index < sent.requests.count - 1 || sent.isLastWhole
            let name = "\(request.method) \(request.path)"
            guard case .event(.requestHead(let head, _))? = log.lines[0]?.first else {
                throw FuzzFinding("\(name) is not read: \(log.lines)")
            }
            // What is no UTF-8 is U+FFFD to the proxy, which sends it on as it came, and Latin-1 to the recorder.
            let isText = !request.path.unicodeScalars.contains("\u{fffd}")
            try require(
                Array(head.method.utf8) == Array(request.method.utf8)
                    && (!isText || Array(head.target.utf8) == Array(request.path.utf8)),
                "\(head.method) \(head.target) is read instead of \(name)"
            )
            if request.asksForUpgrade { continue }
            // Chunks that are no chunks end the decoder's reading; what it has read until then is right.
            let isFollowed = !decoder.hasLost(.client)
            try require(
                isFollowed || request.framing == .chunked,
                "the length of \(name) is not known to others"
            )
            guard isFollowed else { continue }
            try require(log.lines.count == 1, "\(name) is read as \(log.lines.count) requests")
            let ends = log.lines[0, default: []].contains(.event(.requestEnd(at: now)))
            try require(ends == isWhole, "\(name) ends for \(ends ? "the server" : "the proxy") only")
        }
    }

    private static func connectionIsDecided(_ input: [UInt8]) throws(FuzzFinding) {
        for cut in [[input[...]]] + Pieces.cuts(of: input).prefix(1) {
            for isAuthorized in [true, false] {
                var machine = ConnectStateMachine(
                    maximumHeadBytes: 16 << 10,
                    isOwn: { $0.port == 8080 },
                    isAuthorized: { _ in isAuthorized }
                )
                for piece in cut { _ = machine.received(piece) }
            }
        }
    }

    /// What another proxy says, behind which the client's way leads.
    private static func tunnelIsDecided(_ input: [UInt8]) throws(FuzzFinding) {
        var known: Set<String> = []
        for cut in [[input[...]]] + Pieces.cuts(of: input) {
            var answer = ConnectAnswerStateMachine(maximumHeadBytes: 16 << 10)
            var socks = SOCKSStateMachine(destination: .name("rp.example"), port: 443, credentials: nil)
            var decisions: [String] = []
            for piece in cut {
                switch answer.received(piece) {
                case .waitForMoreBytes: continue
                case .established: decisions.append("established")
                case .refused(let refusal): decisions.append("\(refusal)")
                case .failed(let reason): decisions.append(reason)
                }
            }
            for piece in cut {
                var action = socks.received(piece)
                while case .send = action { action = socks.received([]) }
                switch action {
                case .waitForMoreBytes, .send: continue
                case .established: decisions.append("established")
                case .refused(let code): decisions.append("\(code)")
                case .failed(let reason): decisions.append(reason)
                }
            }
            known.insert(decisions.joined(separator: "; "))
        }
        try require(known.count == 1, "another proxy's answer in pieces: \(known)")
    }
}
