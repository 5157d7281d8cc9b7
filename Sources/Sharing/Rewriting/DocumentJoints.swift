import Captures

/// What holds documents in base64 together, inside of a secret that is replaced as a whole: brackets, member names and
/// values that everybody may know.
///
/// Other documents of the same members have them, too: a form that a framework signed is no secret for `,"nonce":"`, which
/// every ID token says.
enum DocumentJoints {
    /// The texts between the values of each JSON in base64 that a secret holds, with the values that are `isOpen`.
    static func all(in secret: String, isOpen: (String) -> Bool) -> [String] {
        Array(secret.utf8).split { !isBase64($0) }.compactMap { Base64Text(Array($0)) }
            .filter { TextKind.guessed($0.text[...]) == .json }
            .flatMap { joints(of: $0.text, isOpen) }
    }

    private static func joints(of document: [UInt8], _ isOpen: (String) -> Bool) -> [String] {
        var joints: [String] = []
        var start = 0
        for slot in SlotReader.slots(in: document[...], as: .json).sorted(by: {
            $0.range.lowerBound < $1.range.lowerBound
        })
        where slot.range.lowerBound >= start && !isOpen(String(decoding: document[slot.range], as: UTF8.self))
        {
            joints.append(String(decoding: document[start..<slot.range.lowerBound], as: UTF8.self))
            start = slot.range.upperBound
        }
        return joints + [String(decoding: document[start...], as: UTF8.self)]
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || [0x2b, 0x2d, 0x2f, 0x5f, 0x3d].contains(byte)
    }
}
