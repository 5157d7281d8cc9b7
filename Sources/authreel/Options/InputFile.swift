import Foundation

/// Reads small inputs whole.
enum InputFile {
    /// The bytes of a file, or of a pipe as the shell's `<(…)` makes it; `-` is standard input.
    static func bytes(_ path: String) throws -> [UInt8] {
        if path == "-" { return Array(FileHandle.standardInput.readDataToEndOfFile()) }
        // Not Data(contentsOf:), which gives up on pipes.
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.readToEnd() ?? Data() else {
            let isThere = FileManager.default.fileExists(atPath: path)
            throw CommandFailure(.noInput, isThere ? "\(path) cannot be read" : "\(path): no such file")
        }
        return Array(data)
    }
}
