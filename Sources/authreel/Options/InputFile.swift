import Captures
import Foundation

/// Reads small inputs whole.
enum InputFile {
    /// The bytes of a file, or of a pipe as the shell's `<(…)` makes it; `-` is standard input.
    ///
    /// Text in UTF-16 that says so by its mark, as PowerShell's `>` writes it, is made UTF-8.
    ///
    /// - Parameters:
    ///   - path: as named by the user.
    ///   - use: what the file is to hold, for whoever names one that cannot be read.
    /// - Returns: what is in it.
    /// - Throws: ``CommandFailure`` where it cannot be read.
    static func bytes(_ path: String, for use: String) throws(CommandFailure) -> [UInt8] {
        if path == "-" { return inUTF8(Array(FileHandle.standardInput.readDataToEndOfFile())) }
        // Not Data(contentsOf:), which gives up on pipes.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, errno, use) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let data = try? file.readToEnd() ?? Data() else { throw failure(path, errno, use) }
        return inUTF8(Array(data))
    }

    /// Makes sure that a file is there and may be read, of which nothing may be wanted yet: what is in a pipe comes once.
    ///
    /// - Throws: ``CommandFailure`` where it is not.
    static func check(_ path: String, for use: String) throws(CommandFailure) {
        guard access(path, R_OK) == 0 else { throw failure(path, errno, use) }
    }

    private static func inUTF8(_ bytes: [UInt8]) -> [UInt8] {
        let isBigEndian = bytes.starts(with: [0xfe, 0xff])
        guard isBigEndian || bytes.starts(with: [0xff, 0xfe]) else { return bytes }
        let units = bytes.dropFirst(2).utf16Units(isBigEndian: isBigEndian)
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    private static func failure(_ path: String, _ number: Int32, _ use: String) -> CommandFailure {
        let reason =
            switch number {
            case ENOENT: "no such file"
            case EISDIR: "is a folder"
            default: number.systemReason
            }
        // `--secret NAME=file:~/…`: to the shell that is the middle of a word.
        let isHome = number == ENOENT && path.hasPrefix("~")
        let near = number == ENOENT ? CommandFailure.meant(by: path) { _ in true } : nil
        return CommandFailure(
            .noInput,
            "\(CommandFailure.shown(path)): \(reason)",
            hint: isHome ? "a shell knows ~ at the beginning of a word only: write $HOME" : near ?? use
        )
    }
}
