import Foundation
import TestSupport
import Testing

@testable import Proxy

struct QRCodeTests {
    /// The example of ISO/IEC 18004, annex I: `01234567` in a code 1-M.
    @Test func correctionIsThatOfTheStandardsExample() {
        let data: [UInt8] = [
            0x10, 0x20, 0x0c, 0x56, 0x61, 0x80, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11,
        ]
        #expect(
            QRCode.errorCorrection(of: data, count: 10)
                == [0xa5, 0x24, 0xd4, 0xc1, 0xed, 0x36, 0xc7, 0x87, 0x2c, 0x55]
        )
    }

    /// Table C.1, level M.
    @Test func formatIsThatOfTheTable() {
        let table = [0x5412, 0x5125, 0x5e7c, 0x5b4b, 0x45f9, 0x40ce, 0x4f97, 0x4aa0]
        #expect((0..<8).map(QRCode.format) == table)
    }

    /// Table D.1.
    @Test func versionIsThatOfTheTable() {
        #expect((7...10).map(QRCode.versionInformation) == [0x07c94, 0x085bc, 0x09a99, 0x0a4d3])
    }

    /// Table 7, level M, bytes.
    @Test func capacityIsThatOfTheTable() {
        #expect((1...10).map(QRCode.capacity) == [14, 26, 42, 62, 84, 106, 122, 152, 180, 213])
    }

    @Test func textThatDoesNotFitHasNoCode() {
        #expect(QRCode([UInt8](repeating: 0x61, count: 213))?.version == 10)
        #expect(QRCode([UInt8](repeating: 0x61, count: 214)) == nil)
        #expect(QRCode([])?.version == 1)
    }

    /// As the encoder `qrcode` 8.2 of Python draws it.
    @Test func addressIsDrawnAsAnotherEncoderDrawsIt() throws {
        let code = try #require(QRCode(Array("http://192.168.1.20:8080/".utf8), mask: 2))
        let rows = (0..<code.side).map { row in
            String((0..<code.side).map { code[row, $0] ? "#" : "." })
        }
        #expect(rows == Self.address)
    }

    private static let address: [String] = [
        "#######....#..#...#######",
        "#.....#...##.#.#..#.....#",
        "#.###.#.##.#....#.#.###.#",
        "#.###.#.####.#....#.###.#",
        "#.###.#.#.##..#...#.###.#",
        "#.....#.##.#...##.#.....#",
        "#######.#.#.#.#.#.#######",
        "........##.##..#.........",
        "#.#####..##.##.##.#####..",
        "####.#.#...#.##..#.....#.",
        "#.#.#.#.....##.#..##.#.##",
        ".#..##...#.##...#...#...#",
        "###########.##....###.###",
        "###..#.#.#...##......#.#.",
        "#.....#....##..#.#.#.#.##",
        "#.##.#....##...#.....#..#",
        "#..####..#####..#####.#..",
        "........###.#.#.#...###..",
        "#######..#......#.#.#####",
        "#.....#.#.##...##...##.##",
        "#.###.#.#.####.########..",
        "#.###.#.#.#######.###.###",
        "#.###.#.##..#....#....#.#",
        "#.....#..##.#...#.####..#",
        "#######.#.#..#.#.########",
    ]

    @Test func easiestMaskIsTaken() throws {
        let text = Array("http://192.168.1.20:8080/".utf8)
        let penalties = (0..<8).map { QRCode(text, mask: $0)?.penalty ?? 0 }
        let code = try #require(QRCode(text))
        #expect(code.penalty == penalties.min())
        #expect(Set(penalties).count > 1)
    }

    /// Each length to the longest, and each mask.
    @Test(.enabled(if: Zbar.isAvailable, "zbarimg is not installed (Debian: zbar-tools)"))
    func readerReadsEveryLength() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // No two alike, and nothing that looks like the end of a line.
        let texts = (1...213).map { length in
            let bytes = (0..<length).map { index -> UInt8 in UInt8(0x21 + (index * 7 + length * 13) % 94) }
            return String(decoding: bytes, as: UTF8.self)
        }
        var files: [String] = []
        for (index, text) in texts.enumerated() {
            let mask = index % 9 == 8 ? nil : index % 9
            let code = try #require(QRCode(Array(text.utf8), mask: mask))
            let file = folder.file("\(index).pgm")
            try Data(Zbar.image(of: code)).write(to: URL(filePath: file))
            files.append(file)
        }
        let result = try Program.run(["-q", "--raw"] + files, executable: Zbar.path)
        let read = result.output.split(separator: "\n").map(String.init)
        let unread = texts.filter { !read.contains($0) }.map(\.utf8.count)
        #expect(unread == [], "lengths that were not read; \(result.errors)")
        #expect(read.count == texts.count)
    }

    @Test func drawingHasTheModulesAQuietZoneAndAName() throws {
        let code = try #require(QRCode(Array("http://192.168.1.20:8080/".utf8)))
        let svg = code.svg(name: "QR code of <the> \"address\"")
        #expect(svg.contains("viewBox=\"0 0 33 33\" role=\"img\""))
        #expect(svg.contains("aria-label=\"QR code of &lt;the&gt; &quot;address&quot;\""))
        #expect(svg.components(separatedBy: "<path").count == 2)
        // Runs of dark modules, drawn back into a grid.
        var drawn = [Bool](repeating: false, count: code.side * code.side)
        let path = try #require(svg.components(separatedBy: "d=\"").last?.components(separatedBy: "\"").first)
        for run in path.components(separatedBy: "M").dropFirst() {
            let numbers = run.split { !$0.isNumber }.compactMap { Int($0) }
            for column in numbers[0]..<(numbers[0] + numbers[2]) {
                drawn[(numbers[1] - 4) * code.side + column - 4] = true
            }
        }
        #expect(drawn == code.modules)
    }
}

/// A reader of QR codes that is not ours.
enum Zbar {
    static let path = "/usr/bin/zbarimg"

    /// Whether to run: continuous integration has to have it.
    static var isAvailable: Bool {
        ProcessInfo.processInfo.environment["CI"] != nil || FileManager.default.isExecutableFile(atPath: path)
    }

    /// A greyscale picture (PGM), four pixels a module, with the quiet zone.
    static func image(of code: QRCode) -> [UInt8] {
        let scale = 4
        let size = (code.side + 8) * scale
        var pixels = [UInt8](repeating: 255, count: size * size)
        for row in 0..<(code.side * scale) {
            for column in 0..<(code.side * scale) where code[row / scale, column / scale] {
                pixels[(row + 4 * scale) * size + column + 4 * scale] = 0
            }
        }
        return Array("P5\n\(size) \(size)\n255\n".utf8) + pixels
    }
}
