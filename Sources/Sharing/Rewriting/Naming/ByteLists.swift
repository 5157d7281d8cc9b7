import Captures
import JOSE

/// Bytes as scripts write them where a document has no type for them: `"rawId": [23, 96, 169, …]`,
/// `"userHandle": {"type": "Buffer", "data": [98, 111, …]}`.
///
/// They are read as the text that they are, or as the base64url that the same value is written in elsewhere. Numbers of other
/// things (a row of a chart) are none: what is no text has to have a name that says so.
enum ByteLists {
    /// The slot of all the numbers of a list; nil where they are no bytes, or tell nothing.
    ///
    /// `object`: what the object is called that the list stands in.
    static func slot(of numbers: ArraySlice<Slot>, in text: ArraySlice<UInt8>, inside object: String) -> Slot?
    {
        guard numbers.count >= shortest, let first = numbers.first, let last = numbers.last,
            numbers.allSatisfy(\.isNumber)
        else { return nil }
        var slot = first
        (slot.range, slot.isNumber, slot.kind) = (first.range.lowerBound..<last.range.upperBound, false, nil)
        guard slot.range.count <= longest, let bytes = bytes(of: text[slot.range]),
            bytes.count == numbers.count
        else { return nil }
        if slot.name == "data", !object.isEmpty { slot.name = object }
        slot.isByteList =
            isText(bytes)
            ? bytes.count >= shortestWhole && isUnordered(bytes) || isNamed(slot.name, mixed: true)
            : bytes.count >= shortestWhole && isNamed(slot.name, mixed: isMixed(bytes))
        return slot.isByteList ? slot : nil
    }

    /// The numbers with what `change` makes of the text that they are, and with what stood between them; nil where nothing changes.
    static func rewriting(_ list: ArraySlice<UInt8>, _ change: ([UInt8]) -> [UInt8]?) -> [UInt8]? {
        guard let bytes = bytes(of: list) else { return nil }
        let isText = isText(bytes)
        let told = isText ? bytes : Array(Base64URL.encode(bytes).utf8)
        guard let changed = change(told) else { return nil }
        let others = isText ? changed : Base64URL.decodeLeniently(SlotReader.string(changed)).bytes
        let gap = list.drop(while: \.isASCIIDigit).prefix { !$0.isASCIIDigit }
        return Array(others.map { Array(String($0).utf8) }.joined(separator: gap))
    }

    private static let shortest = 8
    private static let shortestWhole = 16
    /// In bytes, of the numbers.
    private static let longest = 1 << 14

    private static func bytes(of list: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        for number in list.split(separator: 0x2c, omittingEmptySubsequences: false) {
            let digits = number.filter { $0 > 0x20 }
            guard let byte = UInt8(SlotReader.string(digits)) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    /// Whether bytes are a word or a document, and no numbers of something else.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        let isWord = bytes.allSatisfy { $0.isUnreserved || [0x2b, 0x2f, 0x3d, 0x3a, 0x40].contains($0) }
        return isWord && bytes.contains(where: \.isASCIILetter)
            || TextKind.opensDocument(bytes[...]) && bytes.allSatisfy { (0x20..<0x7f).contains($0) }
    }

    /// Whether bytes are large and small in no order, as those are that were drawn.
    private static func isMixed(_ bytes: [UInt8]) -> Bool {
        let large = bytes.count { $0 >= 0x80 }
        return large * 4 >= bytes.count && large * 4 <= bytes.count * 3 && isUnordered(bytes)
    }

    /// Whether they do not grow, as the numbers of places in a list do.
    private static func isUnordered(_ bytes: [UInt8]) -> Bool {
        zip(bytes, bytes.dropFirst()).contains { $0 > $1 }
    }

    /// Whether a name is one of what is drawn, or of what somebody is known by, and none of what somebody may have a list of.
    ///
    /// `mixed`: what a name may have that is also one of other things.
    private static func isNamed(_ name: String, mixed: Bool) -> Bool {
        switch SecretRoles.role(of: name, in: .json) {
        case .secret(let kind): kind == .subject || !kind.isPersonal && kind != .oneTimeCode
        case .drawn(let kind): mixed && kind != .oneTimeCode
        case .open, .parts, .unknown: mixed && ofAuthenticators.contains(name.lowercased())
        }
    }

    /// Members of a response (Web Authentication, section 5.2) that hold the identifier of a key.
    private static let ofAuthenticators: Set<String> = ["attestationobject", "authenticatordata", "authdata"]
}
