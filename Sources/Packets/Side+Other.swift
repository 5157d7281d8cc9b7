internal import Wire

extension Side {
    /// The one that it speaks with.
    var other: Side { self == .client ? .server : .client }
}
