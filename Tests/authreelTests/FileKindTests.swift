import Foundation
import Proxy
import TestSupport
import Testing

@testable import authreel

/// What is at a path.
struct FileKindTests {
    @Test func linkIsWhatItLeadsTo() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = folder.file("login.har")
        try Data().write(to: URL(filePath: file))
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        let dangling = folder.file("dangling")
        try FileManager.default.createSymbolicLink(
            atPath: dangling,
            withDestinationPath: folder.file("nothing")
        )
        #expect(FileKind(at: file) == .file && FileKind(at: link) == .file)
        #expect(FileKind(at: folder.file("")) == .folder && FileKind(at: "/dev/null") == .other)
        #expect(FileKind(at: dangling) == nil && FileKind(at: "") == nil)
    }
}
