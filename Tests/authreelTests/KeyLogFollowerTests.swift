import Foundation
import TestSupport
import Testing

@testable import authreel

/// A key log that grows while it is read.
struct KeyLogFollowerTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("keys.log")
    }

    private func append(_ bytes: some Collection<UInt8>) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }

    private func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }

    private func follower() throws -> KeyLogFollower { try KeyLogFollower(path: path, owner: nil) }

    private func told(_ follower: KeyLogFollower) -> String {
        String(decoding: follower.news(), as: UTF8.self)
    }

    @Test func linesAreReadAsTheyCome() throws {
        defer { folder.remove() }
        let follower = try follower()
        #expect(told(follower) == "")
        for line in ["A", "B b\n", "C c\n"] {
            try append(line.utf8)
            #expect(told(follower) == (line == "A" ? "" : line == "B b\n" ? "AB b\n" : line))
            #expect(told(follower) == "")
        }
    }

    /// As a PowerShell writes it, a byte at a time.
    @Test(arguments: [true, false], ["\u{feff}", ""])
    func linesInUTF16AreRead(isBigEndian: Bool, mark: String) throws {
        defer { folder.remove() }
        let follower = try follower()
        let bytes = "\(mark)A a\r\nB b\r\n".utf16.flatMap {
            isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 255)] : [UInt8($0 & 255), UInt8($0 >> 8)]
        }
        var text = ""
        for byte in bytes {
            try append([byte])
            text += told(follower)
        }
        #expect(text == "A a\r\nB b\r\n")
    }

    /// Whether it is shorter then, as long, or longer than what was read.
    @Test(arguments: ["C c\n", "C cc\n", "C c\nD d\nE e\nF f\n", ""])
    func fileThatIsBegunAnewIsReadFromItsBeginning(text: String) throws {
        defer { folder.remove() }
        let follower = try follower()
        try append("A a\nB".utf8)
        #expect(told(follower) == "A a\nB")
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
        // The half line of before is none of the new ones'.
        #expect(told(follower) == "\n\(text)")
        try append("G g\n".utf8)
        #expect(told(follower) == "G g\n")
    }

    /// What was written into the old one is read before.
    @Test func fileThatTakesThePlaceOfAnotherIsRead() throws {
        defer { folder.remove() }
        let follower = try follower()
        try append("A a\n".utf8)
        #expect(told(follower) == "A a\n")
        try append("B b\n".utf8)
        try FileManager.default.removeItem(atPath: path)
        #expect(told(follower) == "B b\n")
        #expect(told(follower) == "")
        try write("C c\n")
        #expect(told(follower) == "\nC c\n")
        try append("D d\n".utf8)
        #expect(told(follower) == "D d\n")
    }

    @Test func pipeIsReadWithoutWaiting() throws {
        defer { folder.remove() }
        try #require(mkfifo(path, 0o600) == 0)
        let follower = try follower()
        #expect(told(follower) == "")
        try write("A a\n", into: FileHandle(forUpdating: URL(filePath: path)), follower)
    }

    /// What is written is read while both ends are open.
    private func write(_ text: String, into file: FileHandle, _ follower: KeyLogFollower) throws {
        try file.write(contentsOf: Data(text.utf8))
        #expect(told(follower) == text)
        #expect(told(follower) == "")
        try file.close()
    }

    @Test func folderIsNoKeyLog() throws {
        defer { folder.remove() }
        let failure = #expect(throws: CommandFailure.self) {
            _ = try KeyLogFollower(path: folder.file(""), owner: nil)
        }
        #expect(failure?.message.hasSuffix(" is a folder") == true)
    }
}
