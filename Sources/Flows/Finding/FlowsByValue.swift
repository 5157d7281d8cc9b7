import JOSE
import OAuth

/// Flows by a value that only one of them has.
///
/// A mark that a sanitizer left in its place is in every login, and leads to none; so does what a program sends that has no value, nothing or
/// its language's word for it.
struct FlowsByValue {
    private var flows: [String: FlowBuilder] = [:]

    var isEmpty: Bool { flows.isEmpty }

    subscript(value: String) -> FlowBuilder? {
        get { flows[value] }
        set { if !Placeholder.isOne(value), !Self.isMissing(value) { flows[value] = newValue } }
    }

    /// Whether a program had no value to send.
    static func isMissing(_ value: String?) -> Bool {
        value.map { $0.isEmpty || MissingToken.isOne($0) } ?? true
    }
}
