/// What files of a zip archive are by their first bytes, where their names do not say it.
struct ZipContents {
    /// Those that may be captures.
    private(set) var captures: [ZipDirectory.File] = []
    private(set) var packets: [ZipDirectory.File] = []
    private(set) var keyLogs: [ZipDirectory.File] = []

    /// More files are not looked into.
    private static let most = 1000
    /// Files that a command names.
    private static let mostNamed = 3

    private static let packetEndings = [".pcap", ".pcapng", ".cap", ".pcap.gz", ".pcapng.gz"]

    init(_ files: some Sequence<ZipDirectory.File>, unpacker: ZipFiles) {
        for file in files.prefix(Self.most) {
            let head = unpacker.head(of: file)
            guard !head.isEmpty else { continue }
            switch FileKind(head) {
            case .packets: packets.append(file)
            case .gzip where Self.isNamedLikePackets(file): packets.append(file)
            case .keyLog: keyLogs.append(file)
            case .mitmproxy, .burp, .jMeter, .charles, .utf16: captures.append(file)
            case .text:
                let first = head.first { $0 > 0x20 && !Self.byteOrderMark.contains($0) }
                if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { captures.append(file) }
            case .gzip, .zip, .page, .mail, .other: break
            }
        }
    }

    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

    static func isNamedLikePackets(_ file: ZipDirectory.File) -> Bool {
        let name = file.name.lowercased()
        return packetEndings.contains { name.hasSuffix($0) }
    }

    /// What to do with the packets.
    var advice: String {
        let command =
            ["authreel", "import"] + packets.prefix(Self.mostNamed).map(\.name)
            + (keyLogs.isEmpty ? ["--keylog", "KEYLOG"] : [])
            + keyLogs.prefix(Self.mostNamed).flatMap { ["--keylog", $0.name] } + ["--out", "login.har"]
        return "unpack it first; then \(ShellWord.line(command)) makes a capture of them"
    }

    /// That the packets are not read, for archives of which something else is; nil where there are none.
    var lossOfPackets: String? {
        guard let first = packets.first else { return nil }
        let names = packets.count == 1 ? first.name : "\(first.name) and \(packets.count - 1) more"
        return "\(names): packets are not read out of an archive: \(advice)"
    }
}
