import Foundation

/// Reads small inputs whole.
enum InputFile {
    /// The bytes of a file; `-` is standard input.
    static func bytes(_ path: String) throws -> [UInt8] {
        if path == "-" { return Array(FileHandle.standardInput.readDataToEndOfFile()) }
        do {
            return try Array(Data(contentsOf: URL(filePath: path)))
        } catch {
            let isThere = FileManager.default.fileExists(atPath: path)
            throw CommandFailure(.noInput, isThere ? "\(path) cannot be read" : "\(path): no such file")
        }
    }
}
