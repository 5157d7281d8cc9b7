import Foundation

/// Results that go to a file or, as `-`, to standard output.
enum OutputFile {
    /// Writes the bytes.
    ///
    /// - Throws: ``CommandFailure`` when the file exists (nothing is overwritten) or cannot be written.
    static func write(_ bytes: [UInt8], to path: String) throws {
        guard path != "-" else {
            FileHandle.standardOutput.write(Data(bytes))
            return
        }
        do {
            try Data(bytes).write(to: URL(filePath: path), options: .withoutOverwriting)
        } catch {
            let exists = FileManager.default.fileExists(atPath: path)
            throw CommandFailure(
                .noInput,
                exists
                    ? "\(path) exists and is not overwritten"
                    : "\(path) cannot be written: \(error.localizedDescription)",
                hint: exists ? "choose another name, or remove the file first" : nil
            )
        }
    }
}
