/// The call that an object of JSON may be, of which one member says what is called and a list has the arguments, which have no names:
/// `{"method": "login", "params": ["…", "…"]}`.
struct ScriptCall {
    /// Whether it signs somebody in.
    private(set) var isSignIn = false
    /// The slots of its arguments.
    private var arguments: [Int] = []
    /// How many of these have their names.
    private var namedArguments = 0

    /// Members that say what is called, in small letters.
    static let calling: Set<String> = ["method", "methodname", "target", "operationname", "rpc"]

    /// Takes note of what is called.
    mutating func calls(_ what: String) { if SignInCall.isOne(what) { isSignIn = true } }

    /// Takes note of a text in a list; the arguments whose names are new or others than before, with these, where it signs somebody
    /// in, in whatever order the members stand.
    mutating func argument(_ slot: Int?, of list: String) -> [(slot: Int, name: String)] {
        if let slot, Self.passing.contains(list.lowercased()) { arguments.append(slot) }
        guard isSignIn, namedArguments < arguments.count else { return [] }
        // What the first one is depends on whether there is a second one.
        let first = namedArguments == 1 ? 0 : namedArguments
        namedArguments = arguments.count
        return arguments.indices[first...].map { place in
            (arguments[place], SignInCall.name(ofArgument: place, of: arguments.count))
        }
    }

    /// Members that have the arguments of a call.
    private static let passing: Set<String> = ["params", "args", "arguments", "parameters"]
}
