import Foundation
import TLS
import Testing

/// Into which files the secrets of sessions are written, and who may read those.
struct KeyLogTests {
    private static func path() -> String { NSTemporaryDirectory() + "authreel-keys-\(UUID().uuidString)" }

    private static func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// One that holds keys is shared with whom its owner shares it with.
    @Test(arguments: [("", 0o600), ("# keys\n", 0o644), (nil, 0o600)])
    func emptyFileBecomesItsOwnersAlone(content: String?, mode: Int) throws {
        let path = Self.path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        if let content {
            let loose = [FileAttributeKey.posixPermissions: 0o644]
            #expect(
                FileManager.default.createFile(atPath: path, contents: Data(content.utf8), attributes: loose)
            )
        }
        _ = try KeyLog(path: path)
        #expect(try Self.mode(of: path) == mode)
    }

    @Test func linkIsNotFollowed() throws {
        let (path, target) = (Self.path(), Self.path())
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        let failure = #expect(throws: KeyLogError.self) { _ = try KeyLog(path: path) }
        #expect(
            failure?.description == "cannot write the key log \(path): it is a link, which is not followed"
        )
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    /// As a shell names it: `--keylog /dev/stderr`.
    @Test func fileThatIsOpenIsWrittenToByItsName() throws {
        let path = Self.path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let file = try #require(FileHandle(forWritingAtPath: path))
        _ = try KeyLog(path: "/dev/fd/\(file.fileDescriptor)")
        #expect(try Self.mode(of: path) == 0o600)
        try file.close()
    }
}
