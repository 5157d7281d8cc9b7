/// What a file is, by its first bytes.
enum FileKind: Equatable {
    /// Text in UTF-8, perhaps JSON.
    case text
    /// A message as programs for mail save it.
    case mail
    case utf16(isBigEndian: Bool)
    case gzip
    case zip
    /// mitmproxy's own format: netstrings with types.
    case mitmproxy
    /// A page, in which a capture may stand as text.
    case page
    /// Items that Burp saved as XML.
    case burp
    /// Results of JMeter's in XML.
    case jMeter
    /// A session that Charles exported as XML.
    case charles
    /// What it looks like, with its article, and what to do.
    case other(looksLike: String, advice: String)

    /// Bytes that are enough to tell.
    static let recognizedBytes = 4096

    static let export =
        "a capture is a HAR file: export one from the browser's network panel, or run authreel record"

    static let pageAdvice = "save the export itself, not the page that offers it; \(export)"

    private static let databaseAdvice =
        "where Pulse made it (.pulse): in the app, Share, as Text or HAR; else \(export)"

    private static let packetAdvice =
        "authreel import FILE --keylog KEYLOG --out login.har makes a capture of it"

    static let packets = FileKind.other(looksLike: "a packet capture", advice: packetAdvice)

    static let keyLog = FileKind.other(
        looksLike: "a TLS key log",
        advice: "it opens packets: authreel import FILE.pcap --keylog KEYLOG --out login.har"
    )

    /// In which a capture may stand further down.
    static let plainText = FileKind.other(looksLike: plainTextName, advice: export)

    static let plainTextName = "plain text"

    /// What to do with a file that is none, where it was found in a packed one.
    static func advice(insidePacked advice: String) -> String {
        advice == packetAdvice ? "unpack it first; then \(advice)" : advice
    }

    private static let magics: [(bytes: [UInt8], kind: FileKind)] = [
        ([0x1f, 0x8b], .gzip), (Array("PK\u{3}\u{4}".utf8), .zip), (Array("PK\u{5}\u{6}".utf8), .zip),
        ([0xff, 0xfe], .utf16(isBigEndian: false)), ([0xfe, 0xff], .utf16(isBigEndian: true)),
        packets([0xa1, 0xb2, 0xc3, 0xd4]), packets([0xd4, 0xc3, 0xb2, 0xa1]),
        packets([0xa1, 0xb2, 0x3c, 0x4d]),
        packets([0x4d, 0x3c, 0xb2, 0xa1]), packets([0xa1, 0xb2, 0xcd, 0x34]),
        packets([0x34, 0xcd, 0xb2, 0xa1]), packets([0x0a, 0x0d, 0x0d, 0x0a]),
        otherPackets("snoop\0\0\0", "a packet capture of Solaris' snoop"),
        otherPackets("GMBU", "a packet capture of Microsoft's Network Monitor"),
        otherPackets("RTSS", "a packet capture of Microsoft's Network Monitor"),
        otherPackets("TRSNIFF data", "a packet capture of Sniffer"),
        otherPackets("XCP\0", "a packet capture of NetXray"),
        otherPackets("ObserverPktBuffe", "a packet capture of Observer"),
        otherPackets("TR\0d\0", "a packet capture of HP-UX' nettl"),
        otherPackets("\u{7f}ver", "a packet capture of OmniPeek"),
        otherPackets([0xaa, 0xaa, 0xaa, 0xaa], "a packet capture of 5Views"),
        otherPackets([0x01, 0x10, 0x4c, 0, 0x01], "a packet capture of LANalyzer"),
        otherPackets("iptrace 1.0", "a packet capture of AIX' iptrace"),
        otherPackets("iptrace 2.0", "a packet capture of AIX' iptrace"),
        otherPackets("\u{5}VNF", "a packet capture of Visual Networks"),
        named([0x89, 0x50, 0x4e, 0x47], "a PNG image"), named([0xff, 0xd8, 0xff], "a JPEG image"),
        named("GIF8", "a GIF image"), named("%PDF", "a PDF document"),
        named([0x7f, 0x45, 0x4c, 0x46], "a program"),
        (Array("SQLite format 3".utf8), .other(looksLike: "an SQLite database", advice: databaseAdvice)),
        named([0xd0, 0xcf, 0x11, 0xe0], "an old Office document"),
        named("bplist00", "a binary property list"),
        unpack([0x28, 0xb5, 0x2f, 0xfd], "zstd data", "zstd -d"),
        unpack([0x04, 0x22, 0x4d, 0x18], "LZ4 data", "lz4 -d"),
        unpack([0xfd, 0x37, 0x7a, 0x58, 0x5a], "xz data", "xz -dk"),
        unpack(Array("BZh".utf8), "bzip2 data", "bunzip2 -k"),
        unpack([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], "a 7-Zip archive", "7z x"),
        unpack(Array("Rar!".utf8), "a RAR archive", "unrar x"),
        (
            Array("age-encryption.org/".utf8),
            .other(
                looksLike: "a file encrypted with age",
                advice: "name the key that opens it: --identity FILE"
            )
        ),
    ]

    private static func named(_ bytes: [UInt8], _ what: String) -> ([UInt8], FileKind) {
        (bytes, .other(looksLike: what, advice: export))
    }

    private static func named(_ text: String, _ what: String) -> ([UInt8], FileKind) {
        named(Array(text.utf8), what)
    }

    private static func unpack(_ bytes: [UInt8], _ what: String, _ command: String) -> ([UInt8], FileKind) {
        (bytes, .other(looksLike: what, advice: "unpack it first: \(command) FILE"))
    }

    private static func packets(_ bytes: [UInt8]) -> ([UInt8], FileKind) { (bytes, packets) }

    private static let charlesSession = FileKind.other(
        looksLike: "a Charles session",
        advice: "in Charles: File, Export Session, HTTP Archive (.har)"
    )

    private static let dissected = FileKind.other(
        looksLike: "what tshark prints of packets",
        advice: PrintedPackets.advice
    )

    private static let windowsTrace = FileKind.other(
        looksLike: "an event trace of Windows",
        advice:
            "where netsh trace made it, Microsoft's etl2pcapng makes packets of it: etl2pcapng FILE new.pcapng;"
            + " where pktmon did, pktmon etl2pcap FILE --out new.pcapng; then authreel import new.pcapng"
    )

    private static func otherPackets(_ text: String, _ what: String) -> ([UInt8], FileKind) {
        otherPackets(Array(text.utf8), what)
    }

    private static func otherPackets(_ bytes: [UInt8], _ what: String) -> ([UInt8], FileKind) {
        (
            bytes,
            .other(
                looksLike: what,
                advice: "Wireshark's editcap makes one of it that can be imported: editcap FILE new.pcapng"
            )
        )
    }

    /// The kind of a file that begins like this.
    init(_ head: [UInt8]) {
        guard !head.isEmpty else {
            self = .other(
                looksLike: "an empty file",
                advice: "what was to write it wrote nothing, or is not done: look whether it has ended"
            )
            return
        }
        for (bytes, kind) in Self.magics where head.starts(with: bytes) {
            self = kind
            return
        }
        if let kind = Self.kind(ofBinary: head) {
            self = kind
            return
        }
        if let first = head.firstIndex(of: 0), first < 2, head.count >= 2,
            // Of what was written late there may be nothing but zeros.
            head.prefix(4).contains(where: { $0 != 0 }),
            head.contains(where: { $0 == 0x7b || $0 == 0x5b })
        {
            // Without a byte order mark ASCII shows where the zeros are.
            self = .utf16(isBigEndian: first == 0)
            return
        }
        if head.dropFirst(257).starts(with: Array("ustar".utf8)) {
            self = Self.kind(ofArchiveWith: head.prefix(100))
            return
        }
        let text = head.drop { $0 <= 0x20 || $0 == 0xef || $0 == 0xbb || $0 == 0xbf }
        if let kind = Self.kind(ofText: text) {
            self = kind
        } else if Self.isBinary(head) {
            self = .other(looksLike: "binary data", advice: Self.export)
        } else if MailedCapture.isMail(text) {
            self = .mail
        } else if Self.isPlain(text) {
            self = Self.plainText
        } else {
            self = .text
        }
    }

    /// What programs save in forms of their own that have no word at their beginning.
    private static func kind(ofBinary head: [UInt8]) -> FileKind? {
        if head.starts(with: [0xac, 0xed, 0, 5]) {
            // Java's serialized objects, the class of the first behind its length.
            let isOfCharles = ByteSearch.index(of: Array("com.xk72.charles".utf8), in: head) != nil
            return isOfCharles
                ? charlesSession : .other(looksLike: "serialized objects of Java", advice: export)
        }
        // The header of a buffer (WMI_BUFFER_HEADER): its size, and how much of it is used.
        guard head.count >= 72 else { return nil }
        let (size, used) = (Int(head.little32(0)), Int(head.little32(4)))
        guard size.nonzeroBitCount == 1, (1 << 12...1 << 20).contains(size), (72...size).contains(used)
        else { return nil }
        return windowsTrace
    }

    /// `name`: of the first file in a tar archive.
    private static func kind(ofArchiveWith name: ArraySlice<UInt8>) -> FileKind {
        ByteSearch.index(of: Array("sysdiagnose_".utf8), in: Array(name)) == nil
            ? .other(looksLike: "a tar archive", advice: "unpack it first: tar -xf FILE")
            : .other(
                looksLike: "a sysdiagnose of an Apple device",
                advice: "it has no messages: let the device be recorded (authreel record); or \(export)"
            )
    }

    private static func kind(ofText text: ArraySlice<UInt8>) -> FileKind? {
        let digits = text.prefix(12).prefix { $0.isASCIIDigit }
        if !digits.isEmpty, text.dropFirst(digits.count).first == UInt8(ascii: ":") {
            // A flow is a dictionary, whose first key is a netstring itself: as many bytes of text as it says.
            let inner = text.dropFirst(digits.count + 1)
            let key = inner.prefix { $0.isASCIIDigit }
            if let length = Int(String(decoding: key.prefix(4), as: UTF8.self)),
                inner.dropFirst(key.count).first == UInt8(ascii: ":"),
                let end = inner.dropFirst(key.count + 1 + length).first, Array(",;".utf8).contains(end)
            {
                return .mitmproxy
            }
        }
        if let kind = kind(ofLines: text) { return kind }
        // Behind a space stands what curl -v prints, behind a hyphen what Ruby does.
        guard text.first == UInt8(ascii: "<"), let next = text.dropFirst().first, next != 0x20, next != 0x2d
        else { return nil }
        let head = String(decoding: text.prefix(recognizedBytes), as: UTF8.self).lowercased()
        let element = head.dropFirst().prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }
        if head.hasPrefix("<!doctype html") || pageElements.contains(element) { return .page }
        if head.containsBytes("<items burpversion") {
            return .burp
        }
        if head.containsBytes("<charles-session") {
            return .charles
        }
        if head.containsBytes("<log>"), head.containsBytes("<creator>") {
            return .other(looksLike: "a network log of Internet Explorer's", advice: export)
        }
        if head.containsBytes("<pdml") || head.containsBytes("<psml") { return dissected }
        if head.containsBytes("<testresults") { return .jMeter }
        return .other(looksLike: "an XML document", advice: export)
    }

    /// What a page begins with, or a part of one, as editors of tickets and mails copy it.
    private static let pageElements: Set<Substring> = [
        "html", "head", "meta", "body", "div", "p", "pre", "code", "span", "table", "textarea", "script",
    ]

    /// What programs around packets write as text.
    private static func kind(ofLines text: ArraySlice<UInt8>) -> FileKind? {
        let lines = String(decoding: text.prefix(recognizedBytes), as: UTF8.self).split(
            whereSeparator: \.isNewline
        )
        guard let line = lines.first(where: { $0.first != "#" }) else { return nil }
        if line.hasPrefix("-----BEGIN ") {
            let kind =
                line.contains("PRIVATE KEY")
                ? "a private key" : line.contains("CERTIFICATE") ? "a certificate" : "a PEM file"
            return .other(looksLike: kind, advice: export)
        }
        let words = line.split(separator: " ").prefix(4)
        if words.count == 3, keyLogLabels.contains(where: { words[0].hasSuffix($0) }),
            words.dropFirst().allSatisfy({ $0.allSatisfy(\.isHexDigit) })
        {
            return keyLog
        }
        // With the date in front of the time, or without.
        if let name = words.firstIndex(where: { ["IP", "IP6", "ARP,"].contains($0) }), name > 0,
            words[name - 1].utf8.first.map({ $0.isASCIIDigit }) ?? false,
            words[name - 1].contains(where: { $0 == ":" || $0 == "." })
        {
            return .other(
                looksLike: "what tcpdump prints",
                advice:
                    "let it write the packets: tcpdump -i any -s 0 -w login.pcap, then authreel import login.pcap"
            )
        }
        return nil
    }

    /// Ends of the labels of a key log (RFC 9850, section 2.1).
    private static let keyLogLabels = [
        "CLIENT_RANDOM", "_TRAFFIC_SECRET", "_TRAFFIC_SECRET_0", "EXPORTER_SECRET", "RSA",
    ]

    /// Begins with a word and has no object in it that a capture could be.
    private static func isPlain(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first else { return false }
        let isLetter = first.isASCIILetter || first == UInt8(ascii: "#")
        return isLetter && !text.contains(UInt8(ascii: "{"))
    }

    private static func isBinary(_ head: [UInt8]) -> Bool {
        let controls = head.count {
            $0 < 0x20 && $0 != 0x0a && $0 != 0x0d && $0 != 0x09 && $0 != 0 && $0 != 0x1e && $0 != 0x1b
        }
        return controls * 10 > head.count
    }
}
