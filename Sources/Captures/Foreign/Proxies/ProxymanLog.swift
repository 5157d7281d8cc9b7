import JSON

/// Reads the log that Proxyman exports (`.proxymanlogv2`): a zip with a file of JSON for each exchange.
enum ProxymanLog {
    /// Nil where the archive is none.
    ///
    /// - Throws: ``CaptureError`` for a session that Proxyman saves, too: one file for all exchanges.
    static func read(_ directory: ZipDirectory, unpacker: ZipFiles) throws(CaptureError) -> Capture? {
        guard !directory.files.contains(where: { $0.name == "SharedFlowStorage" }) else {
            throw .notCapture(
                path: unpacker.reader.name,
                looksLike: "a session of Proxyman's",
                advice: "in Proxyman: select, File, Export, HAR or Proxyman Log"
            )
        }
        let files = directory.files.compactMap { file in number(of: file.name).map { (number: $0, file) } }
        var exchanges: [Exchange] = []
        var losses = LossList()
        for (_, file) in files.sorted(by: { $0.number < $1.number }) {
            let unpacked = try unpacker.text(of: file)
            let bytes = try unpacked.text.source().bytes(at: 0, count: largestFile)
            let told = (try? JSONParser.parse(bytes))?.object ?? JSONObject()
            let exchange = ProxymanExchange(told, reload: unpacker.loader(of: file)).exchange()
            if let problem = unpacked.problem { losses.append(loss("\(file.name): \(problem)")) }
            if let exchange {
                exchanges.append(exchange)
            } else {
                losses.append(loss("\(file.name) is no exchange of Proxyman's"))
            }
        }
        guard !exchanges.isEmpty else { return nil }
        var capture = Capture(foreign: exchanges, creator: "Proxyman", version: "")
        capture.losses = losses.all
        return capture
    }

    /// That of `request_12_6894`, in whatever folder.
    private static func number(of name: String) -> Int? {
        let last = name.split(separator: "/").last ?? ""
        let parts = last.split(separator: "_", maxSplits: 2)
        guard parts.count == 3, parts[0] == "request", !last.contains(".") else { return nil }
        return Int(parts[1])
    }

    private static func loss(_ what: String) -> Capture.Loss { Capture.Loss(offset: 0, line: 1, what: what) }

    /// Of one exchange, with both bodies.
    private static let largestFile = 64 << 20
}
