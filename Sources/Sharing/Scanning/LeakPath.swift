/// The way from the root of a JSON value to one of its strings.
struct LeakPath {
    private enum Step {
        case member(String, ordinal: Int)
        case element(Int)
    }

    private var steps: [Step] = []

    mutating func enter(_ name: String, ordinal: Int) { steps.append(.member(name, ordinal: ordinal)) }
    mutating func enter(_ index: Int) { steps.append(.element(index)) }
    mutating func leave() { steps.removeLast() }

    /// The path as a leak shows it; only names that HAR or a well-known producer defines are shown.
    var text: String {
        var text = ""
        for step in steps {
            switch step {
            case .element(let index): text += "[\(index)]"
            case .member(let name, let ordinal):
                if !text.isEmpty { text += "." }
                text += FormatNames.members.contains(name) ? name : "{\(ordinal)}"
            }
        }
        return text
    }
}
