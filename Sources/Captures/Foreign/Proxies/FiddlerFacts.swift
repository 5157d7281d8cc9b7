/// What Fiddler writes down of a session beside its bytes (`_m.xml`).
struct FiddlerFacts {
    private var timers: [String: String] = [:]
    private var flags: [String: String] = [:]
    /// Whether the session is marked as one that came by TLS.
    private(set) var isSecure = false

    /// Of a document in XML; whatever it lacks is not known.
    init(_ bytes: [UInt8]) {
        var tags = XMLTags(CaptureSource(bytes: bytes))
        while let tag = tags.next() {
            if tag.isEnd { continue }
            switch tag.name {
            case "Session":
                // The lowest bit, of a number in hexadecimal.
                isSecure = (Int(tag.attributes["BitFlags"] ?? "", radix: 16) ?? 0) & 1 == 1
            case "SessionTimers": timers = tag.attributes
            case "SessionFlag":
                guard let name = tag.attributes["N"] else { continue }
                flags[name.lowercased()] = tag.attributes["V"]
            default: break
            }
        }
    }

    // MARK: - Times

    /// Nil where a timer never ran: it stands at the year 1.
    private func time(_ names: String...) -> (time: Timestamp, isZoneKnown: Bool)? {
        names.lazy.compactMap { timers[$0] }.compactMap { text in
            Timestamp(rfc3339: text).map { ($0, Timestamp.statesZone(rfc3339: text)) }
        }.first
    }

    private func span(_ start: Timestamp?, _ end: Timestamp?) -> Duration? {
        guard let start, let end, end >= start else { return nil }
        return end - start
    }

    /// Milliseconds; 0 where there was no such phase.
    private func milliseconds(_ name: String) -> Duration? {
        timers[name].flatMap { Int32($0) }.flatMap { $0 > 0 ? .milliseconds(Int($0)) : nil }
    }

    var start: (time: Timestamp, isZoneKnown: Bool)? { time("ClientBeginRequest", "ClientConnected") }

    var duration: Duration? { span(start?.time, time("ClientDoneResponse", "ServerDoneResponse")?.time) }

    var timings: Timings {
        let sent = time("ServerGotRequest", "ClientDoneRequest")?.time
        let answered = time("ServerBeginResponse")?.time
        var timings = Timings(
            dns: milliseconds("DNSTime"),
            connect: milliseconds("TCPConnectTime"),
            send: span(time("FiddlerBeginRequest", "ClientBeginRequest")?.time, sent),
            wait: span(sent, answered),
            receive: span(answered, time("ServerDoneResponse")?.time)
        )
        timings.secured(in: milliseconds("HTTPSHandshakeTime"))
        return timings
    }

    // MARK: - Both ends

    var serverAddress: String? {
        flags["x-hostip"].flatMap { $0.isEmpty ? nil : ForeignTime.address($0, port: nil) }
    }

    /// `x-processinfo` is `chrome:1234`.
    var client: ClientFacts {
        let process = (flags["x-processinfo"] ?? "").split(separator: ":")
        let address = flags["x-clientip"].flatMap { $0.isEmpty ? nil : $0 }
        return ClientFacts(
            process: process.first.map(String.init),
            processID: process.count > 1 ? Int32(process[1]) : nil,
            address: address.map {
                ForeignTime.address($0, port: flags["x-clientport"].flatMap { Int64($0) })
            }
        )
    }

    /// What somebody wrote beside the session.
    var comment: String? { flags["ui-comments"].flatMap { $0.isEmpty ? nil : $0 } }
}
