import Foundation

/// Reads small inputs whole.
enum InputFile {
    /// The bytes of a file, or of a pipe as the shell's `<(…)` makes it; `-` is standard input.
    static func bytes(_ path: String) throws -> [UInt8] {
        if path == "-" { return Array(FileHandle.standardInput.readDataToEndOfFile()) }
        // Not Data(contentsOf:), which gives up on pipes.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, errno) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let data = try? file.readToEnd() ?? Data() else { throw failure(path, errno) }
        return Array(data)
    }

    private static func failure(_ path: String, _ number: Int32) -> CommandFailure {
        let reason =
            switch number {
            case ENOENT: "no such file"
            case EISDIR: "is a folder"
            default: String(cString: strerror(number))
            }
        // `--secret NAME=file:~/…`: to the shell that is the middle of a word.
        let isHome = number == ENOENT && path.hasPrefix("~")
        let near = number == ENOENT ? CommandFailure.meant(by: path) { _ in true } : nil
        return CommandFailure(
            .noInput,
            "\(CommandFailure.shown(path)): \(reason)",
            hint: isHome ? "a shell knows ~ at the beginning of a word only: write $HOME" : near
        )
    }
}
