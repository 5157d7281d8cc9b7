/// What programs around packets print of them: text that no packets can be read from, with what to do.
enum PrintedPackets {
    /// What to do with what was made of packets, and holds none.
    static let advice =
        "the packets themselves are read: authreel import FILE.pcapng --keylog KEYLOG --out login.har"

    /// What text is whose first two lines that are not empty are these; nil for other text.
    static func kind(_ first: Substring, second: Substring?) -> (looksLike: String, advice: String)? {
        if isList(first) || isDetails(first) || isStream(first, second) {
            return ("what Wireshark prints of packets", advice)
        }
        guard isDump(first) || isTektronix(first) else { return nil }
        return (
            "a hex dump",
            "where it is one of packets, Wireshark's text2pcap makes a file of them:"
                + " text2pcap FILE new.pcapng, then authreel import new.pcapng"
        )
    }

    /// The list of packets, as tshark prints it, or exported as text or CSV.
    private static func isList(_ line: Substring) -> Bool {
        if line.hasPrefix("\"No.\",") { return line.contains("\"Protocol\"") }
        let words = line.split(separator: " ", maxSplits: 7)
        if words.first == "No." { return words.contains("Source") && words.contains("Protocol") }
        // Number, time (a date before it), who sends and, behind an arrow, to whom.
        guard let arrow = words.firstIndex(where: { ["→", "->"].contains($0) }), (3...4).contains(arrow)
        else { return false }
        return words[0].utf8.allSatisfy(\.isASCIIDigit)
            && words[arrow - 2].utf8.allSatisfy { $0.isASCIIDigit || ":.".utf8.contains($0) }
    }

    /// All fields of each packet.
    private static func isDetails(_ line: Substring) -> Bool {
        line.hasPrefix("Frame ") && (line.contains(" bytes on wire") || line.contains(" bytes captured"))
    }

    /// What a connection's two sides said (`-z follow`), in another form than as text.
    private static func isStream(_ line: Substring, _ second: Substring?) -> Bool {
        line.hasPrefix("=====") && second?.hasPrefix("Follow: ") == true
            || line == "peers:" && second?.contains("peer: ") == true
    }

    /// How many bytes stand before the line's, in hexadecimal digits, then each of its own in two of them.
    private static func isDump(_ line: Substring) -> Bool {
        let words = line.split(separator: " ", maxSplits: 4)
        guard words.count > 2, (4...8).contains(words[0].utf8.count) else { return false }
        return words[0].utf8.allSatisfy { $0 == UInt8(ascii: "0") }
            && words[1...].prefix(2).allSatisfy { $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }
    }

    /// The frame that a K12 of Tektronix draws around a packet's head.
    private static func isTektronix(_ line: Substring) -> Bool {
        line == "+---------+---------------+----------+"
    }
}
