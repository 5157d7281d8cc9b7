import Foundation

/// Arguments whose bytes are no UTF-8: said so, before something else is done than what was asked for.
///
/// As text each such byte is U+FFFD: another file would be written, and a command that is recorded given another argument. A capture
/// that is only read is not found under that name, and may be one of several: the others are read.
enum ArgumentBytes {
    /// Those of this process, without the program's name.
    static var all: [[UInt8]] {
        // The list is as long as the count says, and each of its strings ends with a zero.
        (1..<max(Int(CommandLine.argc), 1)).compactMap { CommandLine.unsafeArgv[$0] }.map {
            Array(UnsafeRawBufferPointer(start: $0, count: strlen($0)))
        }
    }

    /// - Parameter arguments: without the program's name.
    /// - Throws: ``CommandFailure`` where the value of an option, or something behind `--`, is no text.
    static func check(_ arguments: [[UInt8]]) throws(CommandFailure) {
        let dash = UInt8(ascii: "-")
        let end = arguments.firstIndex { $0 == [dash, dash] } ?? arguments.endIndex
        for (index, argument) in arguments.enumerated()
        where String(validating: argument, as: UTF8.self) == nil {
            let isOption = argument.first == dash
            let isValue = index > 0 && arguments[index - 1].count > 1 && arguments[index - 1].first == dash
            guard index > end || isOption || isValue else { continue }
            throw CommandFailure(
                .usage,
                "\(String(decoding: argument, as: UTF8.self)): the bytes of this argument are no UTF-8",
                hint: index > end
                    ? "a script can run the command with it: \(Invocation.command("record", "--", "./login.sh"))"
                    : "choose another name; a file that is there gets one by a link: ln -s FILE NAME"
            )
        }
    }
}
