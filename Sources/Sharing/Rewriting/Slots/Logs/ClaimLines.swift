import Captures

/// Lines in which programs of .NET tell the claims of somebody, by the address of each type:
/// `http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname: Ada`.
enum ClaimLines {
    /// Nil where a line is none.
    static func slot(in line: ArraySlice<UInt8>) -> Slot? {
        let own = line.drop(while: \.isBlank)
        guard own.starts(with: "http".utf8),
            let mark = own.prefix(longestType).firstRange(of: Array(": ".utf8)),
            mark.upperBound < own.endIndex,
            !own[..<mark.lowerBound].contains(where: { $0 <= 0x20 || $0 == 0x3f }),
            let claims = own[..<mark.lowerBound].firstRange(of: Array("/claims/".utf8))
        else { return nil }
        let type = own[claims.upperBound..<mark.lowerBound]
        // Of somebody, whatever else is called so.
        let name =
            type.elementsEqual("name".utf8) ? "display_name" : SlotReader.string(own[..<mark.lowerBound])
        return Slot(name: name, range: mark.upperBound..<own.endIndex)
    }

    /// Whether the first line of a text is one, which begins as an address does.
    static func begin(_ text: ArraySlice<UInt8>) -> Bool {
        text.starts(with: "http".utf8) && slot(in: text.prefix { $0 != 0x0a && $0 != 0x0d }) != nil
    }

    /// In bytes.
    private static let longestType = 1 << 8
}
