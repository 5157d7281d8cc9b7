/// A text that is looked for whatever its case.
///
/// Compares scalar by scalar, in time that grows with the text alone, whatever a capture holds. Foundation's own search is not
/// for texts of strangers: of a NUL behind text beyond ASCII it finds more than there is.
struct CaselessPattern {
    private let wanted: [Unicode.Scalar]
    /// For each beginning of the pattern, how much of it is an end of that beginning as well (Knuth, Morris and Pratt).
    private let borders: [Int]

    init(_ text: String) {
        wanted = text.unicodeScalars.map(Self.folded)
        var borders: [Int] = []
        borders.reserveCapacity(wanted.count)
        for (index, scalar) in wanted.enumerated() {
            guard index > 0 else {
                borders.append(0)
                continue
            }
            var length = borders[index - 1]
            while length > 0, wanted[length] != scalar { length = borders[length - 1] }
            borders.append(wanted[length] == scalar ? length + 1 : 0)
        }
        self.borders = borders
    }

    /// Where it stands first; nil for an empty pattern.
    func firstRange(in text: String.UnicodeScalarView) -> Range<String.Index>? {
        guard !wanted.isEmpty else { return nil }
        var matched = 0
        for index in text.indices {
            let scalar = Self.folded(text[index])
            while matched > 0, wanted[matched] != scalar { matched = borders[matched - 1] }
            if wanted[matched] == scalar { matched += 1 }
            guard matched == wanted.count else { continue }
            let end = text.index(after: index)
            return text.index(end, offsetBy: -matched)..<end
        }
        return nil
    }

    /// A scalar for a scalar: what becomes several in lower case stays as it is, so that what is found can be cut out.
    private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        case 0x41...0x5a: return Unicode.Scalar(UInt8(scalar.value) | 0x20)
        case ..<0x80: return scalar
        default:
            let lower = scalar.properties.lowercaseMapping.unicodeScalars
            return lower.count == 1 ? lower.first ?? scalar : scalar
        }
    }
}
