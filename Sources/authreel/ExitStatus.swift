import ArgumentParser
import Captures
import Foundation
import Sharing

/// The exit statuses that scripts rely on; from 64 on those of `sysexits.h`.
enum ExitStatus: Int32 {
    case success = 0
    /// Done, and the verdict is negative: an error finding.
    case negative = 1
    case usage = 64
    case dataError = 65
    case noInput = 66
    case unavailable = 69
    case bug = 70
    /// A command that is to be run cannot be, or is not there: what a shell says then.
    case cannotInvoke = 126
    case noSuchCommand = 127

    /// Ends the program after an error: text on stderr with what to do next, and the status that fits.
    static func leave(after error: any Error) -> Never {
        switch error {
        case let failure as CommandFailure: leave(telling: failure)
        case let error as CaptureError: leave(telling: CommandFailure(error))
        case let error as AgeError: leave(telling: CommandFailure(error))
        case let status as ExitCode:
            finishOutput()
            Foundation.exit(status.rawValue)
        default: leave(afterParsing: error)
        }
    }

    private static func leave(telling failure: CommandFailure) -> Never {
        StandardError.report(failure.message, hint: failure.hint)
        Foundation.exit(failure.status.rawValue)
    }

    /// A verdict that nobody can read is none.
    private static func finishOutput() {
        do { try StandardOutput.finish() } catch { leave(after: error) }
    }

    /// Help and version go to stdout with status 0; wrong usage is worded like every other error.
    private static func leave(afterParsing error: any Error) -> Never {
        let code = Authreel.exitCode(for: error)
        if code == .success {
            print(CompletionScript.completed(Authreel.fullMessage(for: error)))
            finishOutput()
            Foundation.exit(0)
        }
        guard code == .validationFailure else {
            StandardError.report(
                "\(error)",
                hint: "this should not happen; please report it with the command you ran"
            )
            Foundation.exit(ExitStatus.bug.rawValue)
        }
        let arguments = Array(CommandLine.arguments.dropFirst())
        let message = UnknownOption.first(
            before: UsageHint.words(Authreel.message(for: error)),
            arguments
        )
        let searchPath = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let hint = UsageHint.hint(for: message, arguments) {
            if case .found = ProgramPath.lookup($0, searchPath: searchPath) { true } else { false }
        }
        StandardError.report(
            message.prefix(1).lowercased() + message.dropFirst(),
            hint: hint ?? UsageHint.withOurOption(message, arguments)
                ?? UsageHint.withCapture(message, arguments, in: ".", isPiped: UsageHint.isPiped)
        )
        let usage = Authreel.fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
            .drop { !$0.hasPrefix("Usage:") }
        StandardError.line(
            UsageHint.usage(Array(usage), columns: Terminal.standardError.columns).joined(
                separator: "\n"
            )
        )
        Foundation.exit(ExitStatus.usage.rawValue)
    }
}
