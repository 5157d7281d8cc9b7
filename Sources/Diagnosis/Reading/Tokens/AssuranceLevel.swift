import Captures

/// A level among others of its kind, of which each includes those below: `urn:singpass:authentication:loa:2`, `eidas1`,
/// `http://eidas.europa.eu/LoA/substantial`, `AAL2`, or the bare numbers of Keycloak.
struct AssuranceLevel {
    /// What stands before the rank, in lower case.
    private let kind: [UInt8]
    private let rank: Int

    /// Nil for what is no level, as the name of a method.
    init?(_ value: String) {
        let bytes = Array(value.asciiLowercased().utf8)
        let digits = bytes.reversed().prefix { (0x30...0x39).contains($0) }.count
        if digits > 0 {
            guard digits <= 2, let number = Int(String(decoding: bytes.suffix(digits), as: UTF8.self)) else {
                return nil
            }
            rank = number
            kind = Array(bytes.dropLast(digits))
        } else {
            guard let name = Self.names.firstIndex(where: { bytes.suffix($0.count).elementsEqual($0) }) else {
                return nil
            }
            rank = name
            kind = Array(bytes.dropLast(Self.names[name].count))
        }
        guard kind.isEmpty || Self.isOfLevels(kind) else { return nil }
    }

    /// Whether who has this level has the other one as well.
    func includes(_ other: AssuranceLevel) -> Bool { kind == other.kind && rank >= other.rank }

    /// Whether the last word before a rank says that it is one.
    private static func isOfLevels(_ kind: [UInt8]) -> Bool {
        let words = kind.split { !(0x61...0x7a).contains($0) }
        return words.last.map { word in levels.contains { word.elementsEqual($0) } } ?? false
    }

    /// Of eIDAS, from the lowest.
    private static let names = ["low", "substantial", "high"].map { Array($0.utf8) }
    private static let levels = ["loa", "aal", "ial", "eidas", "level", "assurance"].map { Array($0.utf8) }
}
