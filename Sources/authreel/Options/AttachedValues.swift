/// Values attached to options that can also stand alone (`--browser=URL`), taken apart.
///
/// The parser loses such a value where another option or a command follows, and takes the option for one that stands
/// alone: another page was opened than the one that was named.
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
}
