import Captures

/// Names with the values that must not stand under them, to be looked up in bytes.
///
/// Names are compared without the case of ASCII letters, since those of header fields have none. Values of
/// ``foldedLength`` bytes and more are too; shorter ones are compared as they are, or a stand-in of one or two characters
/// would often be one by accident. `+` counts as a space.
struct NamedValueIndex: Sendable {
    static let foldedLength = 6
    /// From this length on a value is also looked for in base64 and hexadecimal; shorter ones would be found by accident.
    private static let encodedLength = 4

    struct Value: Sendable {
        var kind: Secret.Kind
        var encodings: [Leak.Encoding]
        /// Of the value itself, not of its encoded form.
        var characters: Int
        fileprivate var bytes: [UInt8]
    }

    private struct Name {
        var bytes: [UInt8]
        var values: [UInt64: [Value]] = [:]
        /// Of the values, ascending.
        var lengths: [Int] = []
    }

    private var names: [Name] = []
    private var namesByHash: [UInt64: [Int]] = [:]
    /// The lengths of the names that end with a (folded) byte.
    private var lengthsByLastByte: [[Int]] = Array(repeating: [], count: 256)
    /// The lengths of the names, ascending.
    private(set) var nameLengths: [Int] = []

    var isEmpty: Bool { names.isEmpty }

    /// Pairs without a value are left out: nothing of a secret can be in them.
    init(_ values: [NamedValue: Secret.Kind]) {
        for (pair, kind) in values where !pair.value.isEmpty {
            let name = insert(name: Array(pair.name.utf8))
            let text = Array(pair.value.utf8)
            var forms: [([UInt8], [Leak.Encoding])] = [(text, [])]
            if text.count >= Self.encodedLength {
                forms +=
                    Self.base64(text).map { ($0, [.base64]) } + [
                        (Array(Hexadecimal.encode(text).utf8), [.hexadecimal])
                    ]
            }
            for (bytes, encodings) in forms {
                let folded = Self.folded(bytes)
                let hash = Self.hash(folded)
                if names[name].values[hash, default: []].contains(where: { $0.bytes == folded }) { continue }
                names[name].values[hash, default: []].append(
                    Value(
                        kind: kind,
                        encodings: encodings,
                        characters: pair.value.unicodeScalars.count,
                        bytes: folded
                    )
                )
                if !names[name].lengths.contains(bytes.count) { names[name].lengths.append(bytes.count) }
            }
        }
        for name in names.indices { names[name].lengths.sort() }
        nameLengths = Set(names.map(\.bytes.count)).sorted()
    }

    private mutating func insert(name bytes: [UInt8]) -> Int {
        let folded = bytes.map(WindowIndex.folded)
        if let known = folded.withUnsafeBufferPointer({ name(in: $0, 0..<folded.count) }) { return known }
        names.append(Name(bytes: folded))
        namesByHash[Self.hash(folded), default: []].append(names.count - 1)
        if let last = folded.last, !lengthsByLastByte[Int(last)].contains(folded.count) {
            lengthsByLastByte[Int(last)].append(folded.count)
        }
        return names.count - 1
    }

    // MARK: - Looking up

    /// The name of this spelling.
    func name(_ text: String) -> Int? {
        var text = text
        return text.withUTF8 { name(in: $0, 0..<$0.count) }
    }

    /// The name that the bytes of a range spell.
    func name(in view: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
        var hash = Self.offsetBasis
        for index in range { hash = Self.combined(hash, WindowIndex.folded(view[index])) }
        return namesByHash[hash]?.first { known in
            let bytes = names[known].bytes
            return bytes.count == range.count
                && range.allSatisfy { WindowIndex.folded(view[$0]) == bytes[$0 - range.lowerBound] }
        }
    }

    /// The lengths that a name may have whose last byte is this one.
    func nameLengths(endingIn byte: UInt8) -> [Int] { lengthsByLastByte[Int(WindowIndex.folded(byte))] }

    /// The lengths that a value under this name may have, ascending.
    func valueLengths(of name: Int) -> [Int] { names[name].lengths }

    /// The value under this name that the bytes of a range spell.
    func value(of name: Int, in view: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Value? {
        let folds = range.count >= Self.foldedLength
        var hash = Self.offsetBasis
        for index in range { hash = Self.combined(hash, Self.folded(view[index], folds)) }
        return names[name].values[hash]?.first { value in
            value.bytes.count == range.count
                && range.allSatisfy { Self.folded(view[$0], folds) == value.bytes[$0 - range.lowerBound] }
        }
    }

    // MARK: - Comparing

    private static func folded(_ value: [UInt8]) -> [UInt8] {
        value.map { folded($0, value.count >= foldedLength) }
    }

    private static func folded(_ byte: UInt8, _ folds: Bool) -> UInt8 {
        folds ? WindowIndex.folded(byte) : byte == 0x2b ? 0x20 : byte
    }

    /// FNV-1a; each hit is compared byte by byte.
    private static let offsetBasis: UInt64 = 0xcbf2_9ce4_8422_2325

    private static func combined(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
        (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }

    private static func hash(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(offsetBasis, combined) }

    // MARK: - Encoded forms

    /// Both alphabets, with padding and without.
    private static func base64(_ bytes: [UInt8]) -> [[UInt8]] {
        let (whole, last) = bytes.withUnsafeBufferPointer { Base64Spelling.characters(of: $0, before: 0) }
        let text = whole + (last.map { [$0] } ?? [])
        return [text, Base64Spelling.standard(text)].compactMap(\.self).flatMap { text in
            [text, text + Array(repeating: 0x3d, count: (4 - text.count % 4) % 4)]
        }
    }
}
