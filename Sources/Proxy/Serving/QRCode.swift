internal import Captures

/// A QR code of a text: byte mode, versions 1 to 10, error correction level M (ISO/IEC 18004).
///
/// Holds up to 213 bytes, which is more than any address needs. Does no IO; the same text always gives the
/// same code.
struct QRCode: Equatable {
    /// 1 to 10; each step adds four modules to a side.
    let version: Int
    /// Which of the eight patterns the data is under.
    let mask: Int
    /// Modules of a side.
    let side: Int
    /// Row by row from the top left; true is dark.
    private(set) var modules: [Bool]
    /// The modules that carry no data: finders, timing, alignment, format and version.
    private var isFunction: [Bool]

    /// The code of a text; nil where no version holds it.
    ///
    /// - Parameters:
    ///   - bytes: the text; readers take it for UTF-8 or Latin-1, so ASCII is safest.
    ///   - mask: 0 to 7; nil takes the one that is easiest to read (section 7.8.3).
    init?(_ bytes: some Collection<UInt8>, mask: Int? = nil) {
        guard let version = (1...10).first(where: { bytes.count <= Self.capacity(ofVersion: $0) }) else {
            return nil
        }
        let data = Self.data(bytes, version: version)
        self.init(version: version, data: data, mask: mask)
    }

    /// The code of data codewords as they are, whatever their mode.
    ///
    /// `data`: as many as the version holds.
    init(version: Int, data: [UInt8], mask: Int?) {
        var blank = QRCode(blankOfVersion: version)
        blank.place(Self.interleaved(data, version: version))
        let masks = mask.map { $0...$0 } ?? 0...7
        // The range is never empty.
        self = masks.map(blank.masked).min { $0.penalty < $1.penalty } ?? blank
    }

    subscript(row: Int, column: Int) -> Bool { modules[row * side + column] }

    // MARK: Codewords

    /// Codewords for error correction per block, and blocks, by version (table 9, level M).
    private static let blocks: [(correction: Int, count: Int)] = [
        (10, 1), (16, 1), (26, 1), (18, 2), (24, 2), (16, 4), (18, 4), (22, 4), (22, 5), (26, 5),
    ]
    private static let totalCodewords = [26, 44, 70, 100, 134, 172, 196, 242, 292, 346]

    private static func dataCodewords(ofVersion version: Int) -> Int {
        let (correction, count) = blocks[version - 1]
        return totalCodewords[version - 1] - correction * count
    }

    /// How many bytes of text fit: mode and length take 12 bits, from version 10 on 20.
    static func capacity(ofVersion version: Int) -> Int {
        dataCodewords(ofVersion: version) - (version < 10 ? 2 : 3)
    }

    /// Mode, length, text, terminator and padding (section 7.4).
    private static func data(_ text: some Collection<UInt8>, version: Int) -> [UInt8] {
        // The mode's four bits move everything behind them by half a byte.
        var nibbles: [UInt8] = [0b0100]
        if version >= 10 { nibbles += [0, 0] }
        for byte in [UInt8(text.count)] + Array(text) { nibbles += [byte >> 4, byte & 15] }
        nibbles.append(0)
        var data = stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
        let padding: [UInt8] = [0xec, 0x11]
        let missing = dataCodewords(ofVersion: version) - data.count
        data += (0..<missing).map { padding[$0 % 2] }
        return data
    }

    /// The data in blocks, each with its correction, codeword by codeword in turn (section 7.6).
    private static func interleaved(_ data: [UInt8], version: Int) -> [UInt8] {
        let (correction, count) = blocks[version - 1]
        let short = data.count / count
        let longer = data.count % count
        var start = 0
        // The longer blocks come last.
        let parts = (0..<count).map { block in
            let length = short + (block >= count - longer ? 1 : 0)
            defer { start += length }
            return Array(data[start..<(start + length)])
        }
        let corrections = parts.map { errorCorrection(of: $0, count: correction) }
        return (0...short).flatMap { index in parts.filter { index < $0.count }.map { $0[index] } }
            + (0..<correction).flatMap { index in corrections.map { $0[index] } }
    }

    /// The remainder of the data by the generator polynomial of this degree (Reed-Solomon over GF(256),
    /// section 7.5).
    static func errorCorrection(of data: [UInt8], count: Int) -> [UInt8] {
        // Highest power first, without the leading 1: the product of (x - 2^i).
        var generator = [UInt8](repeating: 0, count: count)
        generator[count - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<count {
            for index in 0..<count {
                generator[index] = multiply(generator[index], root)
                if index + 1 < count { generator[index] ^= generator[index + 1] }
            }
            root = multiply(root, 2)
        }
        var remainder = [UInt8](repeating: 0, count: count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for index in 0..<count { remainder[index] ^= multiply(generator[index], factor) }
        }
        return remainder
    }

    /// In GF(256) modulo x⁸ + x⁴ + x³ + x² + 1.
    private static func multiply(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for bit in (0..<8).reversed() {
            let carries = product & 0x80 != 0
            product <<= 1
            if carries { product ^= 0x1d }
            if right >> bit & 1 != 0 { product ^= left }
        }
        return product
    }

    // MARK: Modules

    /// Everything that does not depend on the data, the format left light.
    private init(blankOfVersion version: Int) {
        self.version = version
        mask = 0
        side = version * 4 + 17
        modules = [Bool](repeating: false, count: side * side)
        isFunction = modules
        for index in 0..<side {
            set(6, index, index % 2 == 0)
            set(index, 6, index % 2 == 0)
        }
        for (row, column) in [(3, 3), (3, side - 4), (side - 4, 3)] { addSquare(row, column, radius: 4) }
        let centers = Self.alignment[version - 1]
        for row in centers {
            // Three corners have finders.
            for column in centers
            where !(row == 6 && (column == 6 || column == centers.last))
                && !(row == centers.last && column == 6)
            {
                addSquare(row, column, radius: 2)
            }
        }
        addFormat(0)
        addVersion()
    }

    /// The centres of alignment patterns, both ways (annex E).
    private static let alignment: [[Int]] = [
        [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50],
    ]

    private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
        guard (0..<side).contains(row), (0..<side).contains(column) else { return }
        modules[row * side + column] = isDark
        isFunction[row * side + column] = true
    }

    /// Rings around a point: a finder with its separator (radius 4), or an alignment pattern (2).
    private mutating func addSquare(_ row: Int, _ column: Int, radius: Int) {
        for down in -radius...radius {
            for across in -radius...radius {
                let ring = max(abs(down), abs(across))
                set(row + down, column + across, radius == 4 ? ring != 2 && ring != 4 : ring != 1)
            }
        }
    }

    /// Level and mask with their correction, twice (section 7.9).
    static func format(ofMask mask: Int) -> Int {
        // Level M is 00.
        (mask << 10 | remainder(of: mask, by: 0x537, degree: 10)) ^ 0x5412
    }

    private mutating func addFormat(_ format: Int) {
        for index in 0..<15 {
            let isDark = format >> index & 1 != 0
            // Down the column beside the left finder, and along the row below it; both step over the timing.
            switch index {
            case 0...5: set(index, 8, isDark)
            case 6, 7: set(index + 1, 8, isDark)
            case 8: set(8, 7, isDark)
            default: set(8, 14 - index, isDark)
            }
            if index < 8 { set(8, side - 1 - index, isDark) } else { set(side - 15 + index, 8, isDark) }
        }
        set(side - 8, 8, true)
    }

    /// The version with its correction (section 7.10).
    static func versionInformation(_ version: Int) -> Int {
        version << 12 | remainder(of: version, by: 0x1f25, degree: 12)
    }

    private mutating func addVersion() {
        guard version >= 7 else { return }
        let information = Self.versionInformation(version)
        for index in 0..<18 {
            let isDark = information >> index & 1 != 0
            set(side - 11 + index % 3, index / 3, isDark)
            set(index / 3, side - 11 + index % 3, isDark)
        }
    }

    /// Of a polynomial over GF(2), shifted by the degree of the one it is divided by.
    private static func remainder(of value: Int, by generator: Int, degree: Int) -> Int {
        var rest = value
        for _ in 0..<degree { rest = rest << 1 ^ (rest >> (degree - 1) & 1) * generator }
        return rest
    }

    /// Two columns at a time from the right, up and down in turn (section 7.7.3).
    private mutating func place(_ codewords: [UInt8]) {
        var bit = 0
        var right = side - 1
        var goesUp = true
        while right > 0 {
            // The column of the vertical timing pattern is left out.
            if right == 6 { right = 5 }
            for step in 0..<side {
                let row = goesUp ? side - 1 - step : step
                for column in [right, right - 1] where !isFunction[row * side + column] {
                    // A few modules at the end stay light (remainder bits).
                    guard bit < codewords.count * 8 else { continue }
                    modules[row * side + column] = codewords[bit / 8] >> (7 - bit % 8) & 1 != 0
                    bit += 1
                }
            }
            goesUp.toggle()
            right -= 2
        }
    }

    // MARK: Masks

    private init(_ code: QRCode, mask: Int) {
        version = code.version
        side = code.side
        modules = code.modules
        isFunction = code.isFunction
        self.mask = mask
        for row in 0..<side {
            for column in 0..<side where !isFunction[row * side + column] {
                if Self.isFlipped(row, column, mask) { modules[row * side + column].toggle() }
            }
        }
        addFormat(Self.format(ofMask: mask))
    }

    private func masked(_ mask: Int) -> QRCode { QRCode(self, mask: mask) }

    /// Table 10.
    private static func isFlipped(_ row: Int, _ column: Int, _ mask: Int) -> Bool {
        switch mask {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: row * column % 2 + row * column % 3 == 0
        case 6: (row * column % 2 + row * column % 3) % 2 == 0
        default: ((row + column) % 2 + row * column % 3) % 2 == 0
        }
    }

    /// How hard the code is to read (section 7.8.3): runs, squares, what looks like a finder, imbalance.
    var penalty: Int {
        var sum = 0
        for index in 0..<side {
            sum += Self.penalty(ofLine: (0..<side).map { self[index, $0] })
            sum += Self.penalty(ofLine: (0..<side).map { self[$0, index] })
        }
        for row in 1..<side {
            for column in 1..<side {
                let isDark = self[row, column]
                if isDark == self[row - 1, column], isDark == self[row, column - 1],
                    isDark == self[row - 1, column - 1]
                {
                    sum += 3
                }
            }
        }
        let dark = modules.count { $0 }
        return sum + 10 * (abs(dark * 20 - modules.count * 10) / modules.count)
    }

    private static func penalty(ofLine line: [Bool]) -> Int {
        var sum = 0
        var start = 0
        // Eleven modules as bits; what precedes and follows the code is light.
        var window = 0
        for (index, isDark) in (line + [Bool](repeating: false, count: 4)).enumerated() {
            window = (window << 1 | (isDark ? 1 : 0)) & 0x7ff
            if window == 0b101_1101_0000 || window == 0b000_0101_1101 { sum += 40 }
            if index >= line.count { continue }
            if index + 1 == line.count || line[index + 1] != isDark {
                let run = index + 1 - start
                if run >= 5 { sum += run - 2 }
                start = index + 1
            }
        }
        return sum
    }

    // MARK: Drawing

    /// The code as an SVG element for a page: black on white with a quiet zone of four modules.
    ///
    /// `name`: what is read out in place of the picture.
    func svg(name: String) -> String {
        let quiet = 4
        var path = ""
        for row in 0..<side {
            var column = 0
            while column < side {
                let start = column
                while column < side, self[row, column] { column += 1 }
                if column > start {
                    path += "M\(start + quiet) \(row + quiet)h\(column - start)v1H\(start + quiet)z"
                }
                column += 1
            }
        }
        let size = side + 2 * quiet
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size) \(size)" role="img" \
            aria-label="\(HTMLText.escaped(name))" shape-rendering="crispEdges">\
            <rect width="\(size)" height="\(size)" fill="#fff"/><path d="\(path)"/></svg>
            """
    }
}
