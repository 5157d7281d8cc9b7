package import JSON

/// What one JSON text says and another does not.
package enum JSONDifferences {
    /// Paths of members of `old` that `new` lacks or has otherwise, dotted and without the indices of lists; members that
    /// only `new` has do not count.
    ///
    /// `precision`: numbers that are as near to each other are the same.
    package static func lost(
        of old: JSONValue,
        in new: JSONValue?,
        path: [String] = [],
        precision: Double = 0
    ) -> [String] {
        let here = [path.joined(separator: ".")]
        guard let new else { return here }
        switch (old, new) {
        case (.object(let left), .object(let right)):
            return left.members.flatMap {
                lost(of: $0.value, in: right[$0.name], path: path + [$0.name], precision: precision)
            }
        case (.array(let left), .array(let right)):
            guard left.count == right.count else { return here }
            return zip(left, right).flatMap { lost(of: $0, in: $1, path: path, precision: precision) }
        case (.number(let left), .number(let right)):
            guard let left = left.double, let right = right.double else { return old == new ? [] : here }
            return abs(left - right) <= precision ? [] : here
        default: return old == new ? [] : here
        }
    }
}
