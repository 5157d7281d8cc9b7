import JOSE

/// Flows by a value that only one of them has.
///
/// A mark that a sanitizer left in its place is in every login, and leads to none.
struct FlowsByValue {
    private var flows: [String: FlowBuilder] = [:]

    var isEmpty: Bool { flows.isEmpty }

    subscript(value: String) -> FlowBuilder? {
        get { flows[value] }
        set { if !Placeholder.isOne(value) { flows[value] = newValue } }
    }
}
