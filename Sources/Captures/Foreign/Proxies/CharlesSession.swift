import JSON

/// Reads the sessions that Charles exports in JSON (`.chlsj`), and those that it saves (`.chlz`): a zip with such JSON and the
/// bodies beside it.
enum CharlesSession {
    /// Nil where there is no exchange in it.
    static func read(_ source: CaptureSource) -> Capture? {
        var events = JSONEvents(source)
        var exchanges: [Exchange] = []
        events.run { event, place in
            let reload: @Sendable () -> JSONObject? = { JSONEvents.event(at: place, in: source)?.object }
            if let told = event.object, let exchange = CharlesExchange(told, reload: reload).exchange() {
                exchanges.append(exchange)
            }
            // A file of other objects is not read to its end.
            return !exchanges.isEmpty
        }
        guard !exchanges.isEmpty else { return nil }
        var capture = Capture(foreign: exchanges, creator: "Charles", version: "")
        if let loss = events.loss { capture.losses.append(loss) }
        return capture
    }

    /// Nil where the archive is none.
    static func read(_ directory: ZipDirectory, unpacker: ZipFiles) throws(CaptureError) -> Capture? {
        var parts: [Int: [String: ZipDirectory.File]] = [:]
        for file in directory.files {
            let name = file.name.utf8.split(separator: 0x2d, maxSplits: 1).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard name.count == 2, let number = Int(name[0]) else { continue }
            parts[number, default: [:]][name[1] == "meta.json" ? "meta" : String(name[1].prefix(4))] = file
        }
        var exchanges: [Exchange] = []
        var losses = LossList()
        for (number, files) in parts.sorted(by: { $0.key < $1.key }) {
            guard let meta = files["meta"] else { continue }
            let unpacked = try unpacker.text(of: meta)
            let bytes = try unpacked.text.source().bytes(at: 0, count: largestMeta)
            let told = (try? JSONParser.parse(bytes))?.object ?? JSONObject()
            let exchange = CharlesExchange(
                told,
                reload: { nil },
                requestFile: (files["req."] ?? files["req"]).map { unpacker.loader(of: $0) },
                responseFile: (files["res."] ?? files["res"]).map { unpacker.loader(of: $0) }
            ).exchange()
            if let problem = unpacked.problem {
                losses.append(Capture.Loss(offset: 0, line: 1, what: "\(meta.name): \(problem)"))
            }
            if let exchange {
                exchanges.append(exchange)
            } else {
                losses.append(
                    Capture.Loss(offset: 0, line: 1, what: "exchange \(number) is no JSON of Charles'")
                )
            }
        }
        guard !exchanges.isEmpty else { return nil }
        var capture = Capture(foreign: exchanges, creator: "Charles", version: "")
        capture.losses = losses.all
        return capture
    }

    /// What is written down of an exchange besides its bodies.
    private static let largestMeta = 4 << 20
}
