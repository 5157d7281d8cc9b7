/// Values of options that the parser does not take as they stand.
///
/// It loses a value that is attached to an option which can also stand alone (`--browser=URL`) where another option or a command
/// follows, and takes the option for one that stands alone: another page was opened than the one that was named. A negative
/// number behind an option (`--max-body -1`) it takes for another option.
enum AttachedValues {
    /// By command, the option that takes a value or none.
    private static let options = ["record": "--browser", "mock": "--auto-login"]

    /// The arguments with `--browser URL` for `--browser=URL`; what stands behind `--` stays as it is.
    static func takenApart(_ arguments: [String]) -> [String] {
        guard let command = arguments.first, let option = options[command] else { return arguments }
        let own = arguments.prefix { $0 != "--" }
        let apart = own.flatMap { argument -> [String] in
            guard argument.hasPrefix(option + "=") else { return [argument] }
            let value = String(argument.dropFirst(option.count + 1))
            // By itself that would be an option.
            return value.isEmpty || value.hasPrefix("-") ? [argument] : [option, value]
        }
        return apart + arguments[own.endIndex...]
    }

    /// The arguments with the negative number attached that was meant for the value of an option.
    ///
    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - message: of the parser, which missed a value.
    /// - Returns: nil where it is another mistake.
    static func withNegative(_ arguments: [String], after message: String) -> [String]? {
        guard let option = message.prefixMatch(of: /Missing value for '(--[a-z-]+)/)?.output.1 else {
            return nil
        }
        let own = arguments.prefix { $0 != "--" }
        let place = own.indices.dropLast().first {
            own[$0] == option && own[$0 + 1].wholeMatch(of: /-[0-9.]+[A-Za-z]*/) != nil
        }
        guard let place else { return nil }
        return arguments[..<place] + ["\(option)=\(arguments[place + 1])"] + arguments[(place + 2)...]
    }
}
