import Captures

/// Undoes the armor of an age file, strict PEM (RFC 7468, section 3), as it comes, in pieces of any size.
///
/// Lines end with LF or CR LF. White space is passed over before and behind the armor, anything else there is an error:
/// nobody has signed for it.
struct AgeArmorDecoder {
    static let firstLine = Array("-----BEGIN AGE ENCRYPTED FILE-----".utf8)
    private static let lastLine = Array("-----END AGE ENCRYPTED FILE-----".utf8)
    private static let columns = 64

    private enum Place {
        case before
        case text
        /// A line was shorter than the others, so there is no other.
        case behindText
        case behind
    }

    private var place = Place.before
    private var line: [UInt8] = []
    /// The line that is being read, from 1.
    private var number = 1

    /// Appends the bytes of all lines that are whole.
    ///
    /// - Throws: ``AgeError`` at the first line that is not as it should be.
    mutating func push(_ bytes: ArraySlice<UInt8>, into plain: inout [UInt8]) throws(AgeError) {
        var rest = bytes
        while let feed = rest.firstIndex(of: 0x0a) {
            try append(rest[..<feed])
            try endLine(into: &plain)
            rest = rest[(feed + 1)...]
        }
        try append(rest)
    }

    /// The last line needs no line end.
    ///
    /// - Throws: ``AgeError/armorCutOff`` when it is not there.
    mutating func finish(into plain: inout [UInt8]) throws(AgeError) {
        if !line.isEmpty { try endLine(into: &plain) }
        guard place == .behind else { throw .armorCutOff }
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) throws(AgeError) {
        switch place {
        case .before:
            line += line.isEmpty ? bytes.drop(while: \.isASCIIWhiteSpace) : bytes
        case .text, .behindText:
            line += bytes
        case .behind:
            guard bytes.allSatisfy(\.isASCIIWhiteSpace) else { throw .trailingData }
        }
        // A carriage return, too.
        guard line.count <= Self.columns + 1 else { throw wrong }
    }

    private mutating func endLine(into plain: inout [UInt8]) throws(AgeError) {
        if line.last == 0x0d { line.removeLast() }
        switch place {
        case .before where line.isEmpty: break
        case .before:
            guard line == Self.firstLine else { throw wrong }
            place = .text
        case .text where line != Self.lastLine:
            guard let bytes = Base64.decodeStrictly(line[...], isPadded: true), !bytes.isEmpty else {
                throw wrong
            }
            plain += bytes
            if bytes.count < Self.columns / 4 * 3 { place = .behindText }
        case .text, .behindText:
            guard line == Self.lastLine else { throw wrong }
            place = .behind
        case .behind: break
        }
        line.removeAll(keepingCapacity: true)
        number += 1
    }

    private var wrong: AgeError {
        let expected =
            switch place {
            case .before: "-----BEGIN AGE ENCRYPTED FILE-----"
            case .text: "\(Self.columns) columns of base64"
            case .behindText, .behind: "-----END AGE ENCRYPTED FILE-----"
            }
        return .malformedArmor(line: number, expected: expected)
    }
}
